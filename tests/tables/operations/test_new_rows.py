"""New rows read by columns: the same rows and derived values as one operation after the other."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tables.column_types import ColumnSpec, TableShape
from tables.column_types.row_digest import RowDigest
from tables.operations.plans.new_rows import read_new_rows, read_stored_new_rows, read_values
from tests.tables.operations.plain_tables import JOBS, planned_data, prepared_data

Json = dict[str, Any]
ROWS: dict[str, list[Json]] = {
    "the same columns": [{"Company": "Crux", "Salary": 5}, {"Company": "STRASSE ß\nİ \\ \"", "Salary": 5.5}],
    "other columns": [
        {"company": "Crux"}, {"Due": "2026-02-28", "company": "D"}, {"company": "Ωσς", "Status": "Done"}
    ],
    "empty cells": [{"Company": "Crux", "Status": None, "Salary": None, "Due": ""}, {"Company": "Crux"}],
    "an emptied default": [{"Company": "Crux", "Status": None}, {"Company": "Dune", "Status": "Done"}],
    "numbers of two types": [{"Company": "x", "Salary": number} for number in (1, 1.0, -0.0, 0, 1e300, 2.5, 10**15)],
}  # fmt: skip
OTHER_OPTIONS = replace(JOBS.columns[1], options=("Open",))
OTHERS: dict[str, Json] = {
    "a missing value": {"Salary": 1},
    "an unknown column": {"Company": "x", "Salry": 1},
    "a column named twice": {"Company": "x", "col_company": "y"},
    "a value of another type": {"Company": "x", "Salary": True},
    "a value that must be cast": {"Company": "x", "Salary": "1,200"},
    "a list": {"Company": ["x"]},
    "only white space": {"Company": "  "},
    "a long text": {"Company": "x" * 70_000},
    "a NUL": {"Company": "\0"},
    "a large number": {"Company": "x", "Salary": -(2**53)},
    "no option": {"Company": "x", "Status": "Opn"},
}


def adds(rows: list[Json]) -> list[Json]:
    return [{"action": "add", "data": row} for row in rows]


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS.keys())
def test_rows_and_their_derived_values_do_not_depend_on_how_they_are_read(rows: list[Json]) -> None:
    planned = [data for _, data in planned_data(*adds(rows)).adds]
    digest = RowDigest(JOBS.columns)
    for typecast in (False, True):
        found = read_new_rows(adds(rows), shape=JOBS, typecast=typecast)
        assert found is not None
        assert [str(sorted(row.items())) for row in found] == [str(sorted(row.items())) for row in planned]
        assert digest.of_columns(found.columns, count=len(found)) == [digest.of(row) for row in planned]
    stored = read_stored_new_rows(prepared_data(*adds(rows))["operations"], shape=JOBS)
    assert stored is not None
    assert [str(sorted(row.items())) for row in stored] == [str(sorted(row.items())) for row in planned]


@pytest.mark.parametrize(
    ("row", "shape"),
    [
        ({"Company": "x", "Salary": 1}, replace(JOBS, columns=JOBS.columns[:2])),
        ({"Company": "x", "Status": "Done"}, replace(JOBS, columns=(JOBS.columns[0], OTHER_OPTIONS))),
        ({"Salary": 1}, JOBS),
        ({"Company": "x", "Salary": "much"}, JOBS),
        ({"Company": "x", "after_row_id": 1}, JOBS),
    ],
    ids=["a removed column", "a removed option", "a missing value", "a fault", "a position"],
)
def test_stored_rows_with_anything_to_report_are_left_to_the_planner(row: Json, shape: TableShape) -> None:
    beside = {"after_row_id": row["after_row_id"]} if "after_row_id" in row else {}
    data = {key: value for key, value in row.items() if key not in beside}
    [operation] = prepared_data({"action": "add", "data": data, **beside})["operations"]
    assert read_stored_new_rows([operation], shape=shape) is None


@pytest.mark.parametrize("row", OTHERS.values(), ids=OTHERS.keys())
def test_rows_with_anything_to_report_are_left_to_the_planner(row: Json) -> None:
    for typecast in (False, True):
        assert read_new_rows(adds([{"Company": "x", "Salary": 1}, row]), shape=JOBS, typecast=typecast) is None
    placed = [*adds([{"Company": "x"}]), {"action": "add", "data": {"Company": "x"}, "after_row_id": 1}]
    assert read_new_rows(placed, shape=JOBS, typecast=False) is None


def test_lists_of_texts_are_read_by_column_too() -> None:
    tags = ColumnSpec(id="col_tags", name="Tags", type="multi_select", options=("a", "b", "c"))
    values = [["b", "a"], None, [], ["a", "b"], ["c", "c"]]
    for typecast in (False, True):
        assert read_values(values, column=tags, typecast=typecast) == [["a", "b"], None, None, ["a", "b"], ["c"]]
        for other in (["d"], [1], [["a"]], [{"a": "b"}], "a", {"a": "b"}):
            assert read_values([["a"], other], column=tags, typecast=typecast) is None
        assert read_values([["a"]], column=JOBS.columns[2], typecast=typecast) is None
