"""The history page and the page of a change."""
from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.models import Change, Table
from tests.conftest import Api
from tests.tables.test_change_details import entries, queries, stored
from tests.tables.test_undo import Apply, change_cell, ids


def shown(answer: Any) -> list[str]:
    """Return the text of each row or column that a change lists."""
    assert answer.status_code == 200
    items = re.findall(r'<li class="diff".*?</li>', answer.content.decode(), re.S)
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", item)).split()) for item in items]


def page(table: Table, change: int | None = None) -> str:
    return f"/tables/{table.pk}/history/" + (f"{change}/" if change else "")


def test_the_page_of_a_change_shows_old_and_new_values_by_row(
    api: Api, jobs: Table, apply_rows: Apply
) -> None:
    first, second, _ = ids(jobs)
    change = apply_rows(
        {"action": "update", "row_id": first, "changes": {"Salary": 1000.5, "Note": None}},
        {"action": "delete", "row_id": second},
        {"action": "add", "data": {"Company": "Dyn"}},
    ).change
    expected = [
        "Changed row: Acme Salary 10 → is now 1000.5 Note 12 → is now empty",
        "Deleted row: Bolt Company Bolt Status Done Note soon",
        "New row: Dyn Company Dyn",
    ]
    assert sorted(shown(api.get(page(jobs, change)))) == expected
    assert sorted(shown(api.get(page(jobs)))[:3]) == expected
    api.client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    assert "Geänderte Zeile: Acme Salary 10 → ist jetzt 1000,5 Note 12 → ist jetzt leer" in shown(
        api.get(page(jobs, change))
    )


def test_only_colors_that_changed_are_shown(api: Api, jobs: Table, apply_columns: Apply) -> None:
    changes = {"optionColors": {"Done": "lime"}}
    change = apply_columns({"action": "modify", "column_id": "Status", "changes": changes}).change
    assert shown(api.get(page(jobs, change))) == ["Changed column: Status Colors Done: Orange → is now Done: Lime"]


def test_columns_and_the_table_itself_are_shown_too(api: Api, jobs: Table, apply_columns: Apply) -> None:
    change = apply_columns(
        {"action": "remove", "column_id": "Note"},
        {"action": "modify", "column_id": "Status", "changes": {"options": ["Open", "Done", "Late"], "required": True}},
        {"action": "modify", "column_id": "Salary", "changes": {"format": "currency", "currency": "EUR", "default": 5}},
        {"action": "add", "column": {"name": "Due", "type": "date"}},
        words={"table_name": "Work"},
        on_empty_cells="keep",
    ).change
    answer = api.get(page(jobs, change))
    assert '<span class="badge" data-c="orange">Done</span>' in answer.content.decode()
    assert sorted(shown(answer)[:5]) == [
        "Changed column: Salary Default empty → is now €5.00 Format Plain → is now Currency, EUR",
        "Changed column: Status Required No → is now Yes Options Open Done → is now Open Done Late",
        "Changed: Table Name Jobs → is now Work",
        "Deleted column: Note Type Text",
        "New column: Due Type Date",
    ]


def test_cells_of_deleted_columns_have_their_last_name(
    api: Api, user: User, jobs: Table, apply_columns: Apply
) -> None:
    first = ids(jobs)[0]
    modified = {"action": "modify", "column_id": "Note", "changes": {"name": "Remark"}}
    change_cell(user, jobs, first, "Note", "early")
    early = Change.objects.latest("pk").pk
    apply_columns(modified)
    change_cell(user, jobs, first, "Remark", "late")
    late = Change.objects.latest("pk").pk
    apply_columns({"action": "remove", "column_id": "Remark"})
    assert shown(api.get(page(jobs, early))) == ["Changed row: Acme Remark 12 → is now early"]
    assert shown(api.get(page(jobs, late))) == ["Changed row: Acme Remark early → is now late"]
    assert "Changed row: Acme Remark 12 → is now early" in shown(api.get(page(jobs)))


def test_hostile_text_is_escaped_and_truncated_in_the_list(api: Api, user: User, jobs: Table) -> None:
    change_cell(user, jobs, ids(jobs)[0], "Note", "<img src=x>\u202e" + "y" * 500)
    change = Change.objects.latest("pk").pk
    for address, cut in ((page(jobs), True), (page(jobs, change), False)):
        text = api.get(address).content.decode()
        assert "<img" not in text
        assert "\u202e" not in text
        assert ("y" * 500 in text) is not cut


def test_large_changes_are_paged(api: Api, jobs: Table) -> None:
    change = stored(jobs, {"rows": entries(jobs, 1000, 150)})
    listed = api.get(page(jobs))
    names = [text.partition(" Salary")[0] for text in shown(listed)]
    assert [name for name in names if name.startswith("Changed")] == [
        "Changed row: -1000", "Changed row: -1001", "Changed row: -1002"
    ]  # fmt: skip
    assert f'<a class="link" href="{page(jobs, change.pk)}">Show all rows</a>' in listed.content.decode()
    following = api.get(page(jobs, change.pk))
    assert len(shown(following)) == 100
    assert 'href="?cursor=0.100"' in following.content.decode()
    assert len(shown(api.get(page(jobs, change.pk), cursor="0.100"))) == 50
    assert api.get(page(jobs, change.pk), cursor="x").status_code == 404


def test_queries_of_the_list_do_not_grow_with_the_changes(api: Api, jobs: Table) -> None:
    stored(jobs, {"rows": entries(jobs, 1000, 1)})
    few = queries(lambda: api.get(page(jobs)))
    for _ in range(10):
        stored(jobs, {"rows": entries(jobs, 1000, 10)})
    assert queries(lambda: api.get(page(jobs))) == few


@pytest.mark.parametrize("way", ["missing", "other table"])
def test_changes_of_other_tables_are_404(api: Api, user: User, jobs: Table, way: str) -> None:
    other = Table.objects.create(owner=user, name="Other")
    change = jobs.changes.latest("pk").pk
    answer = api.get(page(jobs, change + 1) if way == "missing" else page(other, change))
    assert answer.status_code == 404
