"""Undo on the history page with conflicts: it lists the cells and asks for a decision."""
from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.models import Change, Table
from tables.operations import Origin
from tables.selectors import read_rows
from tables.services import Applied, create_table, update_rows
from tests.conftest import Api
from tests.tables.test_undo import Apply, change_cell, column, ids

QUESTION = "This would overwrite later changes."


def undo(api: Api, table: Table, change: int, **fields: str) -> Any:
    return api.client.post(f"/tables/{table.pk}/history/", {"change": change, **fields})


def question_text(response: Any) -> str:
    """Return the text of the form that asks for a decision, or ""."""
    form = re.search(r'<form class="notice[^>]*>(.*?)</form>', response.content.decode(), re.S)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", form[1])).split()) if form else ""


def choices(response: Any) -> list[tuple[str, str]]:
    """Return the fields and buttons of the form that asks for a decision."""
    form = re.search(r'<form class="notice[^>]*>(.*?)</form>', response.content.decode(), re.S)
    assert form
    fields: list[tuple[str, str]] = re.findall(r'name="(\w+)" value="(\w+)"', form[1])
    return [field for field in fields if field[0] != "csrfmiddlewaretoken"]


def salaries(table: Table) -> list[Any]:
    key = column(table, "Salary")
    return [row.data.get(key) for row in read_rows(table)]


@pytest.fixture
def raised(user: User, jobs: Table, apply_rows: Apply) -> Applied:
    """Change two salaries in one change, and one of them again."""
    first, second, _ = ids(jobs)
    applied = apply_rows(*({"action": "update", "row_id": row, "changes": {"Salary": 1000}} for row in (first, second)))
    change_cell(user, jobs, second, "Salary", 2000)
    return applied


def test_conflicts_are_listed_with_choices_and_nothing_is_written(
    api: Api, jobs: Table, raised: Applied
) -> None:
    response = undo(api, jobs, raised.change)
    text = question_text(response)
    assert QUESTION in text
    assert "Salary of row 2 is now “2000”." in text
    assert "Keep later changes Overwrite later changes Cancel" in text
    assert choices(response) == [("change", str(raised.change)), ("later", "skip"), ("later", "overwrite")]
    assert salaries(jobs) == [1000, 2000, 30]


@pytest.mark.parametrize(("decision", "expected"), [("skip", [10, 2000, 30]), ("overwrite", [10, None, 30])])
def test_the_decision_is_applied(api: Api, jobs: Table, raised: Applied, decision: str, expected: list[Any]) -> None:
    response = undo(api, jobs, raised.change, later=decision)
    assert (response.status_code, response["Location"]) == (302, f"/tables/{jobs.pk}/history/")
    assert salaries(jobs) == expected


def test_a_redo_with_conflicts_asks_for_a_decision(api: Api, user: User, jobs: Table, apply_rows: Apply) -> None:
    row = ids(jobs)[0]
    applied = apply_rows({"action": "update", "row_id": row, "changes": {"Salary": 1000}})
    undo(api, jobs, applied.change)
    undone = Change.objects.latest("pk")
    assert undone.undo_of_id == applied.change
    change_cell(user, jobs, row, "Salary", None)
    assert "Salary of row 1 is now empty." in question_text(undo(api, jobs, undone.pk))
    undo(api, jobs, undone.pk, later="overwrite")
    assert salaries(jobs)[0] == 1000


def test_a_redone_change_can_be_undone_again(api: Api, jobs: Table, apply_rows: Apply) -> None:
    apply_rows({"action": "update", "row_id": ids(jobs)[0], "changes": {"Salary": 1000}})
    verbs, states = [], []
    for _ in range(3):
        undo(api, jobs, Change.objects.latest("pk").pk)
        page = api.client.get(f"/tables/{jobs.pk}/history/").content.decode()
        verbs += re.findall(r'aria-label="(Undo|Redo): ', page)[:1]
        states.append(["Undone</span>" in entry for entry in page.split('<li class="history-item">')[:0:-1]])
    assert verbs == ["Redo", "Undo", "Redo"]
    # After the change that created the table: the change, its undo, its redo, and its second undo.
    assert [state[1:] for state in states] == [[True, False], [False, True, False], [True, False, True, False]]
    assert salaries(jobs) == [10, None, 30]


def test_only_the_first_conflicts_are_listed(
    api: Api, user: User, jobs: Table, apply_rows: Apply
) -> None:
    changes, others = ({"Salary": 1, "Note": "new"}, {"Salary": 2, "Note": "newer"})
    applied = apply_rows(*({"action": "update", "row_id": row, "changes": changes} for row in ids(jobs)))
    later = [{"id": row, "data": others} for row in ids(jobs)]
    update_rows(user=user, table_id=jobs.pk, rows=later, origin=Origin("grid"))
    text = question_text(undo(api, jobs, applied.change))
    assert text.count(" is now “") == 3
    assert "And 3 more." in text


def test_deleted_rows_and_columns_are_listed(
    api: Api, jobs: Table, apply_rows: Apply, apply_columns: Apply
) -> None:
    row = ids(jobs)[0]
    applied = apply_rows({"action": "update", "row_id": row, "changes": {"Salary": 1, "Note": "new"}})
    apply_columns({"action": "remove", "column_id": "Note"})
    removed = "A column in which “Acme” had a value was removed since."
    assert removed in question_text(undo(api, jobs, applied.change))
    apply_rows({"action": "delete", "row_id": row})
    assert "“Acme” was deleted since." in question_text(undo(api, jobs, applied.change))
    api.client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    assert "„Acme“ wurde seitdem gelöscht." in question_text(undo(api, jobs, applied.change))


def test_errors_without_a_decision_are_refused(
    api: Api, jobs: Table, apply_columns: Apply
) -> None:
    removed = apply_columns({"action": "remove", "column_id": "Note"})
    apply_columns({"action": "add", "column": {"name": "Note", "type": "text"}})
    response = api.client.post(f"/tables/{jobs.pk}/history/", {"change": removed.change}, follow=True)
    assert question_text(response) == ""
    assert "Nothing was undone." in response.content.decode()


QUESTIONS = {
    "en": "This would move the table to the trash, with all later changes."
    " The table was changed once since then. Move to trash anyway Cancel",
    "de": "Damit käme die Tabelle in den Papierkorb, mit allen späteren Änderungen."
    " Die Tabelle wurde seitdem einmal geändert. Trotzdem in den Papierkorb Abbrechen",
}


@pytest.mark.parametrize("language", QUESTIONS)
def test_undoing_the_creation_of_a_changed_table_needs_a_decision(
    api: Api, user: User, language: str
) -> None:
    table = create_table(user=user, name="T", columns=[{"name": "A", "type": "text"}], origin=Origin("grid"))
    created = table.changes.get().pk
    api.post(f"/api/tables/{table.pk}/rows/", {"A": "since"})
    api.client.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    response = undo(api, table, created)
    assert question_text(response) == QUESTIONS[language]
    assert choices(response) == [("change", str(created)), ("later", "overwrite")]
    assert Table.objects.get(pk=table.pk).deleted_at is None
    response = undo(api, table, created, later="overwrite")
    assert (response.status_code, response["Location"]) == (302, "/tables/")
    assert Table.objects.get(pk=table.pk).deleted_at is not None


@pytest.mark.parametrize("decision", ["", "KEEP", "both"])
def test_unknown_decisions_are_404(api: Api, jobs: Table, raised: Applied, decision: str) -> None:
    assert undo(api, jobs, raised.change, later=decision).status_code == 404
    assert salaries(jobs) == [1000, 2000, 30]


def test_hostile_text_is_escaped_and_long_text_truncated(
    api: Api, user: User, jobs: Table, apply_rows: Apply
) -> None:
    row = ids(jobs)[0]
    applied = apply_rows({"action": "update", "row_id": row, "changes": {"Note": "new"}})
    change_cell(user, jobs, row, "Note", "<img src=x>\u202e" + "y" * 500)
    response = undo(api, jobs, applied.change)
    page = response.content.decode()
    assert "<img" not in page
    assert "\u202e" not in page
    assert "y…”" in page
    assert "y" * 80 not in page


def test_the_question_is_in_the_language_of_the_reader(api: Api, jobs: Table, raised: Applied) -> None:
    api.client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    text = question_text(undo(api, jobs, raised.change))
    assert "Salary in Zeile 2 ist jetzt „2000“." in text
    assert "Spätere Änderungen behalten Spätere Änderungen überschreiben Abbrechen" in text
