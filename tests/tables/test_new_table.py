"""The page to create a table, without scripts."""
from __future__ import annotations

from datetime import date
from html import unescape

import pytest
from django.contrib.auth.models import User

from tables.models import Table
from tables.operations import Origin
from tables.views.table_templates import BLANK, TEMPLATES, create_from_template
from tests.conftest import Api

NEW = "/tables/new/"


def texts(api: Api, table: Table) -> list[list[object]]:
    return [list(row["data"].values()) for row in api.get(f"/api/tables/{table.pk}/rows/").json()["rows"]]


def test_an_empty_table_is_created_and_opened(api: Api) -> None:
    answer = api.client.post(NEW, {"template": "blank", "name": " Plants "})
    table = Table.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/tables/{table.pk}/")
    columns = api.get(f"/api/tables/{table.pk}/columns/").json()["columns"]
    assert (table.name, texts(api, table)) == ("Plants", [])
    assert [(column["name"], column["type"]) for column in columns] == [
        ("Name", "text"), ("Status", "select"), ("Notes", "text"),
    ]  # fmt: skip


@pytest.mark.parametrize("key", [template.key for template in TEMPLATES])
def test_templates_create_a_table_with_example_rows(api: Api, user: User, key: str) -> None:
    template = next(one for one in TEMPLATES if one.key == key)
    table = create_from_template(user=user, key=key, origin=Origin("form"), today=date(2026, 3, 1))
    assert (table.name, len(texts(api, table))) == (template.name, len(template.rows))


def test_templates_are_translated_and_have_rows_only_on_request(api: Api) -> None:
    api.patch("/api/me/", {"language": "de"})
    api.client.post(NEW, {"template": "tasks", "examples": "on"})
    api.client.post(NEW, {"template": "expenses"})
    tasks, expenses = Table.objects.order_by("pk")
    assert [(change.source, change.version) for change in tasks.changes.all()] == [("template", 1)]
    assert (tasks.name, expenses.name) == ("Projektaufgaben", "Ausgaben")
    assert "Fertig" in str(texts(api, tasks)[0])
    assert texts(api, expenses) == []


def test_invalid_tables_are_refused_with_a_message(api: Api) -> None:
    assert api.client.post(NEW, {"template": "spaceship"}).status_code == 404
    page = api.client.post(NEW, {"template": BLANK.key, "name": "x" * 300}, follow=True)
    assert 'role="alert"' in unescape(page.content.decode())
    assert Table.objects.count() == 0
