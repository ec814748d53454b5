"""Updates read by columns: the same changes as one operation after the other."""
from __future__ import annotations

from typing import Any

import pytest

from tables.operations.plans.changed_rows import ChangedRows, plan_row_updates, read_row_updates
from tables.operations.plans.planned import outcome
from tests.tables.operations.plain_tables import JOBS, ROWS, planned_data

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
    return updates and plan_row_updates(updates, rows=ROWS)


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES.keys())
def test_changes_do_not_depend_on_how_they_are_read(changes: list[Json]) -> None:
    one, two = ({"action": "update", "row_id": pk, "changes": cells} for pk, cells in enumerate(changes, start=1))
    operations = [one, NEW, two]
    plan, found = planned_data(*operations), planned(*operations)
    assert found is not None
    assert {pk: now for pk, _, now in found.changes} == plan.updates
    assert all(was == {key: ROWS[pk].data.get(key) for key in now} for pk, was, now in found.changes)
    assert (found.applied, found.skipped) == outcome(plan.planned)
    assert all(None not in data.values() for data in found.contents.values())
    assert found.adds is not None
    assert list(found.adds) == [data for _, data in plan.adds]


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
def test_updates_with_anything_to_report_are_left_to_the_planner(other: Json) -> None:
    first = {"action": "update", "row_id": 1, "changes": {"Salary": 2}, "version": 1}
    assert planned(first) is not None
    assert planned(first, {"action": "update", **other}) is None
