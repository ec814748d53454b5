"""Taking back what was changed again since, on the history page: it names the cells, asks, and does as it is told."""
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

ASKED = "this would overwrite later changes."


def undo(api: Api, table: Table, change: int, **said: str) -> Any:
    return api.client.post(f"/tables/{table.pk}/history/", {"change": change, **said})


def asked_in(answer: Any) -> str:
    """The words of the form that asks, as they are read; "" where there is none."""
    form = re.search(r'<form class="notice[^>]*>(.*?)</form>', answer.content.decode(), re.S)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", form[1])).split()) if form else ""


def choices(answer: Any) -> list[tuple[str, str]]:
    """Everything that is sent with a form, of the one that asks."""
    form = re.search(r'<form class="notice[^>]*>(.*?)</form>', answer.content.decode(), re.S)
    assert form
    fields: list[tuple[str, str]] = re.findall(r'name="(\w+)" value="(\w+)"', form[1])
    return [field for field in fields if field[0] != "csrfmiddlewaretoken"]


def salaries(table: Table) -> list[Any]:
    key = column(table, "Salary")
    return [row.data.get(key) for row in read_rows(table)]


@pytest.fixture
def raised(user: User, jobs: Table, apply_rows: Apply) -> Applied:
    """Two salaries changed at once; one of them changed again since."""
    first, second, _ = ids(jobs)
    applied = apply_rows(*({"action": "update", "row_id": row, "changes": {"Salary": 1000}} for row in (first, second)))
    change_cell(user, jobs, second, "Salary", 2000)
    return applied


def test_nothing_is_done_and_the_cells_are_named_with_what_may_become_of_them(
    api: Api, jobs: Table, raised: Applied
) -> None:
    answer = undo(api, jobs, raised.change)
    said = asked_in(answer)
    assert ASKED in said
    assert "Salary of row 2 is now “2000”." in said
    assert "Keep later changes Overwrite later changes Cancel" in said
    assert choices(answer) == [("change", str(raised.change)), ("later", "keep"), ("later", "overwrite")]
    assert salaries(jobs) == [1000, 2000, 30]


@pytest.mark.parametrize(("said", "left"), [("keep", [10, 2000, 30]), ("overwrite", [10, None, 30])])
def test_it_does_as_it_is_told(api: Api, jobs: Table, raised: Applied, said: str, left: list[Any]) -> None:
    answer = undo(api, jobs, raised.change, later=said)
    assert (answer.status_code, answer["Location"]) == (302, f"/tables/{jobs.pk}/history/")
    assert salaries(jobs) == left


def test_doing_it_again_asks_in_the_same_way(api: Api, user: User, jobs: Table, apply_rows: Apply) -> None:
    row = ids(jobs)[0]
    applied = apply_rows({"action": "update", "row_id": row, "changes": {"Salary": 1000}})
    undo(api, jobs, applied.change)
    undone = Change.objects.latest("pk")
    assert undone.undo_of_id == applied.change
    change_cell(user, jobs, row, "Salary", None)
    assert "Salary of row 1 is now empty." in asked_in(undo(api, jobs, undone.pk))
    undo(api, jobs, undone.pk, later="overwrite")
    assert salaries(jobs)[0] == 1000


def test_what_was_done_again_can_be_undone_again(api: Api, jobs: Table, apply_rows: Apply) -> None:
    apply_rows({"action": "update", "row_id": ids(jobs)[0], "changes": {"Salary": 1000}})
    verbs = []
    for _ in range(3):
        undo(api, jobs, Change.objects.latest("pk").pk)
        page = api.client.get(f"/tables/{jobs.pk}/history/").content.decode()
        verbs += re.findall(r'aria-label="(Undo|Redo): ', page)[:1]
    assert verbs == ["Redo", "Undo", "Redo"]
    assert salaries(jobs) == [10, None, 30]


def test_only_the_first_cells_are_named_and_the_others_counted(
    api: Api, user: User, jobs: Table, apply_rows: Apply
) -> None:
    changes, others = ({"Salary": 1, "Note": "new"}, {"Salary": 2, "Note": "newer"})
    applied = apply_rows(*({"action": "update", "row_id": row, "changes": changes} for row in ids(jobs)))
    later = [{"id": row, "data": others} for row in ids(jobs)]
    update_rows(user=user, table_id=jobs.pk, rows=later, origin=Origin("grid"))
    said = asked_in(undo(api, jobs, applied.change))
    assert said.count(" is now “") == 3
    assert "And 3 more." in said


def test_rows_and_columns_that_are_gone_are_told_too(
    api: Api, jobs: Table, apply_rows: Apply, apply_columns: Apply
) -> None:
    row = ids(jobs)[0]
    applied = apply_rows({"action": "update", "row_id": row, "changes": {"Salary": 1, "Note": "new"}})
    apply_columns({"action": "remove", "column_id": "Note"})
    assert "A column in which “Acme” had a value was removed since." in asked_in(undo(api, jobs, applied.change))
    apply_rows({"action": "delete", "row_id": row})
    assert "“Acme” was deleted since." in asked_in(undo(api, jobs, applied.change))
    api.client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    assert "„Acme“ wurde seitdem gelöscht." in asked_in(undo(api, jobs, applied.change))


def test_what_no_word_about_later_changes_would_help_is_refused_as_before(
    api: Api, jobs: Table, apply_columns: Apply
) -> None:
    removed = apply_columns({"action": "remove", "column_id": "Note"})
    apply_columns({"action": "add", "column": {"name": "Note", "type": "text"}})
    answer = api.client.post(f"/tables/{jobs.pk}/history/", {"change": removed.change}, follow=True)
    assert asked_in(answer) == ""
    assert "Nothing was undone." in answer.content.decode()


GOES = {
    "en": "This would move the table to the trash, with all later changes."
    " The table has been changed once since; nothing was done. Move to trash anyway Cancel",
    "de": "Damit käme die Tabelle in den Papierkorb, mit allen späteren Änderungen."
    " Die Tabelle wurde seitdem einmal geändert; es wurde nichts getan. Trotzdem in den Papierkorb Abbrechen",
}


@pytest.mark.parametrize("language", GOES)
def test_a_table_that_was_changed_since_it_was_made_goes_only_when_told(
    api: Api, user: User, language: str
) -> None:
    table = create_table(user=user, name="T", columns=[{"name": "A", "type": "text"}], origin=Origin("grid"))
    made = table.changes.get().pk
    api.post(f"/api/tables/{table.pk}/rows/", {"A": "since"})
    api.client.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    answer = undo(api, table, made)
    assert asked_in(answer) == GOES[language]
    assert choices(answer) == [("change", str(made)), ("later", "overwrite")]
    assert Table.objects.get(pk=table.pk).deleted_at is None
    gone = undo(api, table, made, later="overwrite")
    assert (gone.status_code, gone["Location"]) == (302, "/tables/")
    assert Table.objects.get(pk=table.pk).deleted_at is not None


@pytest.mark.parametrize("said", ["", "KEEP", "both"])
def test_another_word_is_not_known(api: Api, jobs: Table, raised: Applied, said: str) -> None:
    assert undo(api, jobs, raised.change, later=said).status_code == 404
    assert salaries(jobs) == [1000, 2000, 30]


def test_hostile_text_is_shown_as_text_and_long_text_is_cut(
    api: Api, user: User, jobs: Table, apply_rows: Apply
) -> None:
    row = ids(jobs)[0]
    applied = apply_rows({"action": "update", "row_id": row, "changes": {"Note": "new"}})
    change_cell(user, jobs, row, "Note", "<img src=x>\u202e" + "y" * 500)
    answer = undo(api, jobs, applied.change)
    page = answer.content.decode()
    assert "<img" not in page
    assert "\u202e" not in page
    assert "y…”" in page
    assert "y" * 80 not in page


def test_it_is_asked_in_the_readers_language(api: Api, jobs: Table, raised: Applied) -> None:
    api.client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    said = asked_in(undo(api, jobs, raised.change))
    assert "Salary in Zeile 2 ist jetzt „2000“." in said
    assert "Spätere Änderungen behalten Spätere Änderungen überschreiben Abbrechen" in said
