"""The stored form of refused cells."""
from __future__ import annotations

from tables.column_types.date import NOT_YEAR_FIRST
from tables.importing.refused_cells import RefusedCell

CELL = RefusedCell(2, "Due", "not_a_date", NOT_YEAR_FIRST(value="soon"), "soon")


def test_a_cell_is_stored_with_its_message() -> None:
    assert RefusedCell.from_list(CELL.as_list()) == CELL


def test_a_cell_of_an_earlier_release_keeps_its_text() -> None:
    cell = RefusedCell.from_list([2, "Due", "not_a_date", "“soon” is not a date like 2024-12-31.", "soon"])
    assert cell.as_json() == {
        "row": 2, "column": "Due", "code": "not_a_date", "detail": "“soon” is not a date like 2024-12-31.",
        "value": "soon",
    }  # fmt: skip


def test_characters_that_databases_refuse_are_replaced() -> None:
    cell = RefusedCell(2, "Due", "not_a_date", NOT_YEAR_FIRST(value="a\0b"), "a�b")
    *_, detail, value, message = cell.as_list()
    assert detail == "“a�b” is not a date like 2024-12-31."
    assert (value, message["params"]) == ("a�b", {"value": "a�b"})
