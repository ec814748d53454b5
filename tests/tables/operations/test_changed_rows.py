"""Updates read by columns: the same changes as one operation after the other."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tables.column_types import TableShape
from tables.operations.cells import RowState, StoredRows, filled
from tables.operations.plans.changed_rows import (
    ChangedRows,
    KnownUpdate,
    plan_row_updates,
    plan_stored_updates,
    read_row_updates,
    stored_updates,
)
from tables.operations.plans.planned import outcome
from tests.tables.operations.plain_tables import JOBS, ROWS, planned_data, prepared_data

Json = dict[str, Any]
NEW = {"action": "add", "data": {"Company": "New"}}
CHANGES: dict[str, list[Json]] = {
    "the same column": [{"Salary": 2}, {"Salary": 3}],
    "other columns": [{"Salary": None, "Due": "2026-02-28"}, {"Status": "Done", "Company": "Crux"}],
    "nothing": [{"Company": "Acme", "Salary": 10}, {"Salary": None}],
    "one of two": [{"Company": "Acme"}, {"Salary": 5}],
}
OTHERS: dict[str, Json] = {
    "a missing row": {"row_id": 3, "changes": {"Salary": 1}},
    "the same row": {"row_id": 1, "changes": {"Salary": 1}},
    "another version": {"row_id": 2, "changes": {"Salary": 1}, "version": 2},
    "no version": {"row_id": 2, "changes": {"Salary": 1}, "version": True},
    "no id": {"row_id": True, "changes": {"Salary": 1}},
    "no cells": {"row_id": 2, "changes": {}},
    "expected cells": {"row_id": 2, "changes": {"Salary": 1}, "expected": {"Salary": None}},
    "a condition": {"where": {"Salary": 1}, "changes": {"Salary": 1}},
    "an unknown column": {"row_id": 2, "changes": {"Salry": 1}},
    "a column named twice": {"row_id": 2, "changes": {"Company": "x", "col_company": "y"}},
    "an emptied required cell": {"row_id": 2, "changes": {"Company": None}},
    "a value of another type": {"row_id": 2, "changes": {"Salary": True}},
}


def planned(*operations: Json) -> ChangedRows | None:
    updates = read_row_updates(operations, shape=JOBS, typecast=False)
    if updates is None or not ROWS.keys() >= set(updates.ids):
        return None
    return plan_row_updates(updates, rows=StoredRows.of([ROWS[pk] for pk in updates.ids], columns=JOBS.columns))


def stored(*operations: Json, rows: dict[int, RowState] = ROWS, shape: TableShape = JOBS) -> ChangedRows | None:
    """Return the changes of a stored proposal on a table that has changed to `shape` and `rows`."""
    return plan_stored_updates(prepared_data(*operations)["operations"], rows=rows, shape=shape)


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES.keys())
def test_changes_do_not_depend_on_how_they_are_read(changes: list[Json]) -> None:
    one, two = ({"action": "update", "row_id": pk, "changes": cells} for pk, cells in enumerate(changes, start=1))
    operations = [one, NEW, two]
    plan, found, again = planned_data(*operations), planned(*operations), stored(*operations)
    assert found is not None
    assert again is not None
    assert (again.changes, again.applied, again.skipped) == (found.changes, found.applied, found.skipped)
    assert repr(again.rows.by_id()) == repr(found.rows.by_id())
    assert list(again.adds or ()) == list(found.adds or ())
    assert {pk: now for pk, _, now in found.changes} == plan.updates
    assert all(was == {key: ROWS[pk].data.get(key) for key in now} for pk, was, now in found.changes)
    assert (found.applied, found.skipped) == outcome(plan.planned)
    assert found.contents == {pk: filled({**ROWS[pk].data, **now}) for pk, now in plan.updates.items()}
    assert {pk: row.version - ROWS[pk].version for pk, row in found.rows.by_id().items()} == {
        pk: int(pk in plan.updates) for pk in (1, 2)
    }
    assert found.adds is not None
    assert list(found.adds) == [data for _, data in plan.adds]


def test_updates_by_a_condition_have_its_index() -> None:
    every = {"column": "Company", "op": "not_empty"}
    operations = [NEW, {"action": "update", "where": every, "changes": {"Salary": 7}}]
    found = stored(*operations)
    assert found is not None
    assert (found.applied, found.skipped) == outcome(planned_data(*operations).planned)


@pytest.mark.parametrize(
    ("operation", "salary", "columns"),
    [
        ({"changes": {"Salary": 11}}, 12, 4),
        ({"changes": {"Salary": 11}, "expected": {"Salary": 9}}, 10, 4),
        ({"changes": {"Salary": 11}}, 10, 2),
        ({"changes": {"Salary": "much"}}, 10, 4),
        ({"changes": {"Company": None}}, 10, 4),
    ],
    ids=["a changed cell", "another expected cell", "a removed column", "a fault", "an emptied required cell"],
)
def test_stored_updates_with_anything_to_report_are_left_to_the_planner(
    operation: Json, salary: int, columns: int
) -> None:
    rows = ROWS | {1: ROWS[1]._replace(data={**ROWS[1].data, "col_salary": salary})}
    shape = replace(JOBS, columns=JOBS.columns[:columns])
    assert stored({"action": "update", "row_id": 1, **operation}, rows=rows, shape=shape) is None
    twice = [{"action": "update", "row_id": 1, "changes": {"Salary": number}} for number in (1, 2)]
    assert stored(*twice) is None


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
def test_updates_with_anything_to_report_are_left_to_the_planner(other: Json) -> None:
    first = {"action": "update", "row_id": 1, "changes": {"Salary": 2}, "version": 1}
    assert planned(first) is not None
    assert planned(first, {"action": "update", **other}) is None


def known_update(*, changes: Json, before: Json, row_id: int = 1, reason: str = "") -> KnownUpdate:
    return KnownUpdate(row_id, ROWS[row_id].version, changes, before, reason)


def test_updates_with_stored_values_are_stored_as_if_they_were_read() -> None:
    updates = [
        known_update(changes={"col_salary": 7}, before={"col_salary": 10, "col_company": "Acme"}, reason="Why."),
        known_update(changes={"col_due": "2026-02-28", "col_salary": None}, before={"col_due": None, "col_salary": 5},
                     row_id=2),
    ]  # fmt: skip
    written = [
        {"action": "update", "row_id": each.row_id, "changes": each.changes, "expected": each.before,
         "reason": each.reason}
        for each in updates
    ]  # fmt: skip
    assert stored_updates(updates, shape=JOBS) == prepared_data(*written)["operations"]


@pytest.mark.parametrize(
    ("changes", "before"),
    [
        ({}, {"col_salary": 10}),
        ({"col_salary": 7}, {}),
        ({"col_salary": "7"}, {"col_salary": 10}),
        ({"col_salary": 7}, {"col_salary": "10"}),
        ({"col_company": None}, {"col_company": "Acme"}),
        ({"col_salary": 7}, {"col_salary": 10, "col_removed": 1}),
    ],
    ids=["nothing", "unknown cells", "a text", "a known text", "an emptied required cell", "a removed column"],
)
def test_updates_without_stored_values_are_left_to_be_read(changes: Json, before: Json) -> None:
    assert stored_updates([known_update(changes=changes, before=before)], shape=JOBS) is None
