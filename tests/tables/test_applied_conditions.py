"""Conditions in row proposals: errors are reported at the operation as it was sent."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.models import Table
from tables.selectors import read_rows
from tables.services import prepare_data
from tests.conftest import Api
from tests.stored_proposals import apply_url, rows_proposal

Json = dict[str, Any]
EVERYWHERE = {"column": "Company", "op": "not_empty"}
NOWHERE = {"column": "Company", "op": "eq", "value": "Nobody"}
DONE: Json = {"action": "update", "where": EVERYWHERE, "changes": {"Note": "seen"}}
WRONG: dict[str, tuple[list[Json], str, str]] = {
    "emptied in every row it matches": (
        [DONE, {"action": "update", "where": EVERYWHERE, "changes": {"Company": None}}],
        "operations[1].changes.Company", "required",
    ),
    "after a condition that made three of one": (
        [DONE, {"action": "add", "data": {"Salary": 1}}], "operations[1].data.Company", "required",
    ),
    "after a condition that made none of one": (
        [{"action": "delete", "where": NOWHERE}, {"action": "add", "data": {"Salary": 1}}],
        "operations[1].data.Company", "required",
    ),
    "a value that does not fit": (
        [DONE, {"action": "update", "where": EVERYWHERE, "changes": {"Salary": "lots"}}],
        "operations[1].changes.Salary", "not_a_number",
    ),
}  # fmt: skip


def proposals(table: Table) -> str:
    return f"/api/tables/{table.pk}/proposals/data/"


@pytest.mark.parametrize(("operations", "path", "code"), WRONG.values(), ids=WRONG.keys())
def test_errors_are_reported_once_at_the_sent_operation(
    api: Api, jobs: Table, operations: list[Json], path: str, code: str
) -> None:
    answer = api.post(proposals(jobs), {"operations": operations})
    faults = [(fault["path"], fault["code"]) for fault in answer.json()["errors"]]
    assert (answer.status_code, faults) == (422, [(path, code)])


def test_overlaps_name_both_sent_operations(api: Api, jobs: Table) -> None:
    again = {"action": "update", "where": {"column": "Company", "op": "eq", "value": "Crux"}, "changes": {"Note": "x"}}
    (fault,) = api.post(proposals(jobs), {"operations": [DONE, again]}).json()["errors"]
    assert (fault["path"], fault["code"]) == ("operations[1]", "overlap")
    assert "Operation 0" in fault["detail"]


def test_the_assistant_gets_errors_at_its_own_operations(user: User, jobs: Table) -> None:
    operations, path, _ = WRONG["emptied in every row it matches"]
    prepared = prepare_data(user=user, table_id=jobs.pk, proposal={"operations": operations})
    assert {fault["path"] for operation in prepared["operations"] for fault in operation.get("faults", [])} == {path}


def test_stored_proposals_have_an_operation_for_each_row(api: Api, user: User, jobs: Table) -> None:
    payload = rows_proposal(user, DONE, {"action": "delete", "row_id": 1}, table_id=jobs.pk)
    for row in read_rows(jobs)[:2]:
        api.patch(f"/api/tables/{jobs.pk}/rows/{row.id}/", {"data": {"Note": "meanwhile"}})
    answer = api.post(apply_url(payload), {"operations": [0, 1, 2]})
    faults = [fault["path"] for fault in answer.json()["errors"]]
    assert (answer.status_code, faults) == (409, ["operations[0].changes.Note", "operations[1].changes.Note"])
