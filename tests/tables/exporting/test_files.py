"""Exported files are read back unchanged for random values of all types."""
from __future__ import annotations

import datetime
import io
from itertools import repeat
from typing import Any

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from tables.column_types import ColumnSpec
from tables.column_types.number_values import normal_number, read_number
from tables.column_types.value_texts import plain_number
from tables.exceptions import Invalid
from tables.interchange.file_names import disposition, file_name
from tables.interchange.temporary_folders import PREFIX, delete_abandoned_folders
from tables.interchange.text_files import write_csv, write_json
from tables.interchange.xlsx_files import write_xlsx
from tests.hypothesis_examples import examples
from tests.tables.exporting.readers import csv_rows, json_rows, unescaped, xlsx_rows

OPTIONS = ("Open", "=1+1", "'x", "-")
COLUMNS = [
    ColumnSpec(id="a", name="=Name, “x”", type="text"), ColumnSpec(id="b", name="N", type="number"),
    ColumnSpec(id="c", name="Day", type="date"), ColumnSpec(id="d", name="B", type="boolean"),
    ColumnSpec(id="e", name="S", type="select", options=OPTIONS),
]  # fmt: skip
HARMFUL = st.text(st.sampled_from("=+-@\t\r\n',;\"＝_x0041 <&>é😀"), min_size=1) | st.sampled_from(
    ["<r><t>x</t></r>", "https://example.com", "{=1}"]
)
stored = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1) | HARMFUL
fitting = stored.filter(lambda text: all(each in "\t\r\n" or each >= " " for each in text)).filter(
    lambda text: not set(text) & {"\ufffe", "\uffff"}
)
whole_numbers = st.integers(-(2**53) + 1, 2**53 - 1)
fractions = st.floats(allow_nan=False, allow_infinity=False).filter(lambda value: not value.is_integer())
fitting_fractions = fractions.filter(lambda value: 1e-300 < abs(value) < 1e300)
days = st.dates().map(datetime.date.isoformat)


def rows_of(texts: st.SearchStrategy[str], numbers: st.SearchStrategy[Any]) -> st.SearchStrategy[list[list[Any]]]:
    cells = (texts, numbers, days, st.booleans(), st.sampled_from(OPTIONS))
    return st.lists(st.tuples(*(st.none() | cell for cell in cells)).map(list), max_size=5)


def export(write: Any, rows: list[list[Any]]) -> bytes:
    file = io.BytesIO()
    write(file, title="Table", columns=COLUMNS, rows=enumerate(rows, start=1))
    return file.getvalue()


@given(rows_of(stored, whole_numbers | fractions))
def test_json_is_read_back_unchanged(rows: list[list[Any]]) -> None:
    assert json_rows(export(write_json, rows))[1:] == rows


@given(rows_of(stored, whole_numbers | fractions))
def test_csv_is_read_back_unchanged(rows: list[list[Any]]) -> None:
    heads, *lines = csv_rows(export(write_csv, rows))

    read = [
        [unescaped(text) or None, float(number) if number else None, day or None, {"": None}.get(flag, flag == "true"),
         unescaped(option) or None]
        for text, number, day, flag, option in lines
    ]  # fmt: skip
    assert [unescaped(head) for head in heads] == [column.name for column in COLUMNS]
    assert read == rows


@given(whole_numbers | st.floats(allow_nan=False, allow_infinity=False).map(normal_number))
def test_plain_numbers_are_read_back_unchanged(value: float) -> None:
    assert read_number(plain_number(value)) == value


@given(rows_of(stored, whole_numbers | fractions))
def test_csv_cells_are_no_formulas_except_negative_numbers(rows: list[list[Any]]) -> None:
    for text, _, day, boolean, option in csv_rows(export(write_csv, rows)):
        assert not (text + day + boolean + option).startswith(tuple("=+-@\t\r\n＝＋－＠"))
        assert not option.startswith(tuple("=+-@"))


@examples(20)
@given(rows_of(fitting, whole_numbers | fitting_fractions))
def test_workbooks_are_read_back_unchanged(rows: list[list[Any]]) -> None:
    _, *read = xlsx_rows(export(write_xlsx, rows))

    def as_read(value: Any, *, column: int) -> Any:
        if value is None:
            return ""
        early = column == 2 and value < "1900-03-01"
        return datetime.date.fromisoformat(value) if column == 2 and not early else value

    # Readers of workbooks ignore empty rows at the end.
    expected = [[as_read(value, column=column) for column, value in enumerate(row)] for row in rows]
    assert read + [[""] * 5] * (len(rows) - len(read)) == expected


def test_the_same_rows_make_the_same_file() -> None:
    rows = [["=1+1", 0.1, "2026-02-03", True, "Open"], [None] * 5]
    assert export(write_xlsx, rows) == export(write_xlsx, rows)


@pytest.mark.parametrize("value", [1e308, -1e308, 5e-324])
def test_numbers_out_of_range_for_workbooks_are_refused(value: float) -> None:
    with pytest.raises(Invalid) as error:
        export(write_xlsx, [[None] * 5, ["x", value, None, None, None]])

    assert error.value.code == "not_for_xlsx"
    assert [fault.path for fault in error.value.faults] == ["rows[1].N"]


def test_too_many_rows_for_a_workbook_are_refused() -> None:
    rows = repeat((1, []), 1_048_576)
    with pytest.raises(Invalid, match="at most 1,048,575 rows"):
        write_xlsx(io.BytesIO(), title="T", columns=[], rows=rows)


def test_temporary_files_of_failed_workbooks_are_deleted() -> None:
    with pytest.raises(Invalid):
        export(write_xlsx, [["\1", None, None, None, None]])
    assert list(settings.DATA_DIR.glob(f"{PREFIX}*")) == []

    killed = settings.DATA_DIR / f"{PREFIX}killed"
    killed.mkdir()
    (killed / "rows").write_text("Acme")
    now = datetime.datetime.now(datetime.UTC)
    assert list(delete_abandoned_folders(now=now)) == []
    assert killed.exists()
    assert list(delete_abandoned_folders(now=now + datetime.timedelta(days=2))) == [1]
    assert not killed.exists()


def test_column_names_invalid_in_workbooks_are_refused() -> None:
    with pytest.raises(Invalid, match="The name of column"):
        write_xlsx(io.BytesIO(), title="T", columns=[ColumnSpec(id="a", name="a\uffff", type="text")], rows=[])


@given(st.text())
def test_file_names_are_safe_for_all_titles(title: str) -> None:
    name = file_name(title, ending="csv")

    assert not set(name) & set('<>:"/\\|?*%;$`\r\n\0\u202e')
    assert not name.startswith((".", "-", "~", " "))
    assert len(name.encode()) <= 204
    assert disposition(name).encode("ascii").startswith(b'attachment; filename="')


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Jobs", "Jobs.csv"), ("../../etc/passwd", "_.._etc_passwd.csv"), ("CON", "CON_.csv"),
        ("lpt1.x", "lpt1_.x.csv"),
        ("\u202excod.exe", "xcod.exe.csv"), ("", "table.csv"), ("...", "table.csv"), ("日本語", "日本語.csv"),
        ('a"; filename="b', "a__ filename=_b.csv"), ("a\r\nX-Evil: 1", "a X-Evil_ 1.csv"),
    ],
)  # fmt: skip
def test_file_names(title: str, name: str) -> None:
    assert file_name(title, ending="csv") == name


TITLES = [
    "", "History", "a/b:c*d?[e]", "'quoted'", "😀" * 40, "😀" * 15 + "'" + "😀" * 3, "x" * 300, "a\uffffb <&\">",
]  # fmt: skip


@pytest.mark.parametrize("title", TITLES)
def test_workbooks_can_be_opened_for_all_titles(title: str) -> None:
    file = io.BytesIO()
    write_xlsx(file, title=title, columns=COLUMNS, rows=[])

    assert xlsx_rows(file.getvalue()) == [[column.name for column in COLUMNS]]
