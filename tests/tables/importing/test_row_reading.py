"""Rows of a file that are read by columns are the same as those that are read one by one."""
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.column_types import ColumnSpec
from tables.importing.file_formats.source import RawRow
from tables.importing.row_reading import RowReader
from tables.importing.targets import Target

COLUMNS = [
    ("text", ""), ("number", ""), ("number", "comma"), ("date", "dmy"), ("boolean", ""), ("select", ""),
]  # fmt: skip
REQUIRED = ColumnSpec("c_key", "Key", "text", required=True)
TARGETS = [
    Target(0, REQUIRED),
    *(
        Target(index, ColumnSpec(f"c_{index}", f"Column {index}", kind), form=form, collects=kind == "select")
        for index, (kind, form) in enumerate(COLUMNS, start=1)
    ),
]
# Valid values of each column, and others.
VALID: list[list[Any]] = [
    ["Dune", "a\r\nb", "Ärzte", 5, True],
    ["", "Dune", "\r", " x ", "Ärzte", None, 1.0, True],
    ["", "0", "12", "-12", "1,234.5", "1.5", " 7 ", "5 €", "9" * 15, 1, 1.0, 2.5, None],
    ["", "0", "1,5", "1.234,5", "12", 3],
    ["", "03/04/2024", "29.2.2024", "2024-02-03"],
    ["", "yes", "ja", "true", "No", False],
    ["", "Open", " open ", "Done", 1],
]
OTHERS = ["\0", "  ", "007", "1e3", "9" * 16, [1], "x", None]
GOOD = st.tuples(*map(st.sampled_from, VALID)).map(list)
ODD = st.lists(st.sampled_from([*OTHERS, ""]), max_size=len(TARGETS) + 1)
ROWS = st.lists(GOOD, min_size=1) | st.lists(GOOD | ODD, min_size=1, max_size=4)


def reader(*, keeps_empty: bool) -> RowReader:
    return RowReader(TARGETS, width=len(TARGETS), keeps_empty=keeps_empty)


@given(rows=ROWS, keeps_empty=st.booleans())
def test_rows_are_the_same_by_columns_and_one_by_one(rows: list[list[Any]], keeps_empty: bool) -> None:
    raw: list[RawRow] = list(enumerate(rows))
    one_by_one = reader(keeps_empty=keeps_empty)
    alone = [one_by_one.read(*each) for each in raw]
    by_columns = reader(keeps_empty=keeps_empty).read_columns(raw)
    if any(row is None or row.faults for row in alone):
        assert by_columns is None
        return
    if by_columns is not None:
        read = [dict(zip(by_columns, values, strict=True)) for values in zip(*by_columns.values(), strict=True)]
        assert repr(read) == repr([row.data for row in alone if row])


@pytest.mark.parametrize(
    ("cell", "stored"),
    [("a\r\nb\rc", "a\nb\nc"), ("Ärzte\r\n", "Ärzte\n"), (" x ", " x "), ("9" * 15, "9" * 15)],
)
def test_texts_have_line_feeds_and_are_not_changed_otherwise(cell: str, stored: str) -> None:
    target = Target(0, ColumnSpec("c_text", "Text", "text"))
    read = RowReader([target], width=1).read_columns([(1, [cell]), (2, ["plain"])])
    assert {key: list(values) for key, values in (read or {}).items()} == {"c_text": [stored, "plain"]}
