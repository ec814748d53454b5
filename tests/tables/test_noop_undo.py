"""Undo and redo without effect are refused and write nothing."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.exceptions import Conflict
from tables.models import Change, Table
from tables.services import undo_change
from tests.conftest import Api
from tests.tables.test_history_undo import undo
from tests.tables.test_undo import Apply, change_cell, ids

NOTHING_LEFT = "Nothing is left to undo in this change."


def refused_undo(api: Api, table: Table, change: int | None, action: str = "undo", **body: Any) -> Any:
    """Send an undo or redo and return the response after checking that nothing was written."""
    before = Change.objects.count(), Table.objects.get(pk=table.pk).version
    answer = api.post(f"/api/tables/{table.pk}/changes/{change}/{action}/", body)
    assert (Change.objects.count(), Table.objects.get(pk=table.pk).version) == before
    return answer


def test_keeping_all_later_changes_leaves_nothing_to_undo(
    api: Api, user: User, jobs: Table, apply_rows: Apply
) -> None:
    row = ids(jobs)[0]
    applied = apply_rows({"action": "update", "row_id": row, "changes": {"Salary": 1}})
    change_cell(user, jobs, row, "Salary", 2)
    answer = refused_undo(api, jobs, applied.change, on_conflict="skip")
    assert (answer.status_code, answer.json()["error"], answer.json()["detail"]) == (409, "nothing_left", NOTHING_LEFT)
    path = f"rows[{row}].data.Salary"
    assert refused_undo(api, jobs, applied.change, on_conflict={path: "skip"}).json()["error"] == "nothing_left"


@pytest.mark.parametrize("decision", [{}, {"on_conflict": "overwrite"}], ids=["unasked", "decided"])
def test_undo_without_effect_is_refused(
    api: Api, user: User, jobs: Table, apply_rows: Apply, decision: dict[str, Any]
) -> None:
    row = ids(jobs)[0]
    applied = apply_rows({"action": "update", "row_id": row, "changes": {"Salary": 1}})
    change_cell(user, jobs, row, "Salary", 10)
    assert refused_undo(api, jobs, applied.change, **decision).json()["error"] == "nothing_left"


def test_redo_without_effect_is_refused(
    api: Api, user: User, jobs: Table, apply_rows: Apply
) -> None:
    row = ids(jobs)[0]
    applied = apply_rows({"action": "update", "row_id": row, "changes": {"Salary": 1}})
    undo_change(user=user, table_id=jobs.pk, change_id=applied.change)
    change_cell(user, jobs, row, "Salary", 1)
    body = refused_undo(api, jobs, applied.change, "redo").json()
    assert (body["error"], body["detail"]) == ("nothing_left", "Nothing is left to redo in this change.")


def test_keeping_a_filled_column_leaves_nothing_to_undo(
    user: User, jobs: Table, apply_columns: Apply
) -> None:
    applied = apply_columns({"action": "add", "column": {"name": "Size", "type": "number"}})
    change_cell(user, jobs, ids(jobs)[0], "Size", 7)
    with pytest.raises(Conflict) as caught:
        undo_change(user=user, table_id=jobs.pk, change_id=applied.change, on_conflict="skip")
    assert caught.value.code == "nothing_left"


TEXTS = {
    "en": f"Nothing was undone. {NOTHING_LEFT}",
    "de": "Es wurde nichts rückgängig gemacht. Von dieser Änderung ist nichts mehr rückgängig zu machen.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_the_history_page_shows_the_refusal_in_the_language_of_the_reader(
    api: Api, user: User, jobs: Table, apply_rows: Apply, language: str
) -> None:
    row = ids(jobs)[0]
    applied = apply_rows({"action": "update", "row_id": row, "changes": {"Salary": 1}})
    change_cell(user, jobs, row, "Salary", 2)
    api.client.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    undo(api, jobs, applied.change or 0, later="skip")
    assert TEXTS[language] in api.client.get(f"/tables/{jobs.pk}/history/").content.decode()
