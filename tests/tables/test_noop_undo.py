"""Where everything would stay as it is, nothing is written, and that is what is said: not that it was taken back."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.exceptions import Conflict
from tables.models import Change, Table
from tables.services import undo_change
from tests.conftest import Api
from tests.tables.test_history_undo import undo
from tests.tables.test_undo import Apply, change_cell, column, ids

LEFT = "Nothing is left to undo in this change."


def taking_back(api: Api, table: Table, change: int | None, way: str = "undo", **body: Any) -> Any:
    """The answer, after a look that nothing has been written for it."""
    before = Change.objects.count(), Table.objects.get(pk=table.pk).version
    answer = api.post(f"/api/tables/{table.pk}/changes/{change}/{way}/", body)
    assert (Change.objects.count(), Table.objects.get(pk=table.pk).version) == before
    return answer


def test_keeping_all_of_what_changed_since_leaves_nothing_to_take_back(
    api: Api, user: User, jobs: Table, apply_rows: Apply
) -> None:
    row = ids(jobs)[0]
    applied = apply_rows({"action": "update", "row_id": row, "changes": {"Salary": 1}})
    change_cell(user, jobs, row, "Salary", 2)
    answer = taking_back(api, jobs, applied.change, on_conflict="keep")
    assert (answer.status_code, answer.json()["error"], answer.json()["detail"]) == (409, "nothing_left", LEFT)
    path = f"{row}:{column(jobs, 'Salary')}"
    assert taking_back(api, jobs, applied.change, on_conflict={path: "keep"}).json()["error"] == "nothing_left"


@pytest.mark.parametrize("decision", [{}, {"on_conflict": "overwrite"}], ids=["unasked", "decided"])
def test_what_is_as_it_was_already_is_not_taken_back_once_more(
    api: Api, user: User, jobs: Table, apply_rows: Apply, decision: dict[str, Any]
) -> None:
    row = ids(jobs)[0]
    applied = apply_rows({"action": "update", "row_id": row, "changes": {"Salary": 1}})
    change_cell(user, jobs, row, "Salary", 10)
    assert taking_back(api, jobs, applied.change, **decision).json()["error"] == "nothing_left"


def test_what_is_as_it_would_be_already_is_not_done_again(
    api: Api, user: User, jobs: Table, apply_rows: Apply
) -> None:
    row = ids(jobs)[0]
    applied = apply_rows({"action": "update", "row_id": row, "changes": {"Salary": 1}})
    undo_change(user=user, table_id=jobs.pk, change_id=applied.change)
    change_cell(user, jobs, row, "Salary", 1)
    told = taking_back(api, jobs, applied.change, "redo").json()
    assert (told["error"], told["detail"]) == ("nothing_left", "Nothing is left to redo in this change.")


def test_nothing_is_left_of_a_new_column_that_was_filled_since(
    user: User, jobs: Table, apply_columns: Apply
) -> None:
    applied = apply_columns({"action": "add", "column": {"name": "Size", "type": "number"}})
    change_cell(user, jobs, ids(jobs)[0], "Size", 7)
    with pytest.raises(Conflict) as caught:
        undo_change(user=user, table_id=jobs.pk, change_id=applied.change, on_conflict="keep")
    assert caught.value.code == "nothing_left"


SAID = {
    "en": f"Nothing was undone. {LEFT}",
    "de": "Es wurde nichts rückgängig gemacht. Von dieser Änderung ist nichts mehr rückgängig zu machen.",
}


@pytest.mark.parametrize("language", SAID)
def test_the_history_says_so_in_the_readers_language(
    api: Api, user: User, jobs: Table, apply_rows: Apply, language: str
) -> None:
    row = ids(jobs)[0]
    applied = apply_rows({"action": "update", "row_id": row, "changes": {"Salary": 1}})
    change_cell(user, jobs, row, "Salary", 2)
    api.client.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    undo(api, jobs, applied.change or 0, later="keep")
    assert SAID[language] in api.client.get(f"/tables/{jobs.pk}/history/").content.decode()
