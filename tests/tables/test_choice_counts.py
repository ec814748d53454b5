"""Row counts of options: with search and other filters, cached by version, in one query."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from shared import strictjson
from tables.models import Table
from tables.selectors import cached_choices, table_shape
from tests.conftest import Api
from tests.tables.sample_tables import write_rows

COLUMNS: list[dict[str, Any]] = [
    {"name": "Stage", "type": "select", "options": ["Open", "Done", "Lost"], "filterDisplay": "tab"},
    {"name": "Source", "type": "select", "options": ["Web", "Friend"]},
    {"name": "Salary", "type": "number"},
]
ROWS = [
    {"Stage": "Open", "Source": "Web", "Salary": 1}, {"Stage": "Open", "Source": "Friend", "Salary": 2},
    {"Stage": "Done", "Source": "Web", "Salary": 3}, {"Source": "Web"},
]  # fmt: skip


@pytest.fixture
def table(api: Api, user: User) -> Table:
    """Create rows with two select cells, some of them empty."""
    created = api.post("/api/tables/", {"name": "Jobs", "columns": COLUMNS, "rows": ROWS}).json()
    return Table.objects.get(pk=created["id"])


@pytest.fixture
def counted(api: Api, table: Table) -> Callable[..., Any]:
    """Return a function that reads the counts of a view from the API."""

    def counted(*conditions: tuple[str, str, Any], **view: str) -> Any:
        clauses = [{"column": column, "op": op, "value": value} for column, op, value in conditions]
        filters = {"filter": strictjson.dumps({"and": clauses})} if clauses else {}
        return api.get(f"/api/tables/{table.pk}/choices/", **filters, **view).json()["columns"]

    return counted


def test_all_options_are_counted(counted: Callable[..., Any]) -> None:
    assert counted() == {"Stage": {"Open": 2, "Done": 1, "Lost": 0}, "Source": {"Web": 3, "Friend": 1}}
    assert counted(columns="Source") == {"Source": {"Web": 3, "Friend": 1}}
    assert counted(columns="Salary") == {}


def test_counts_ignore_the_choice_of_the_same_column(counted: Callable[..., Any]) -> None:
    web = ("Source", "any_of", ["Web"])
    assert counted(web) == {"Stage": {"Open": 1, "Done": 1, "Lost": 0}, "Source": {"Web": 3, "Friend": 1}}
    both = counted(web, ("Stage", "any_of", ["Open"]))
    assert both == {"Stage": {"Open": 1, "Done": 1, "Lost": 0}, "Source": {"Web": 1, "Friend": 1}}
    assert counted(web, ("Salary", "gt", 1))["Stage"] == {"Open": 0, "Done": 1, "Lost": 0}
    assert counted(search="friend") == {"Stage": {"Open": 1, "Done": 0, "Lost": 0}, "Source": {"Web": 0, "Friend": 1}}
    # A second condition on the same column is not a choice of the filter bar.
    assert counted(web, ("Source", "any_of", ["Friend"]))["Source"] == {"Web": 0, "Friend": 1}


def test_counts_take_one_query_and_are_cached(api: Api, table: Table) -> None:
    shape = table_shape(table)
    for expected in (1, 0):
        with CaptureQueriesContext(connection) as queries:
            cached_choices(table, shape=shape, columns=shape.columns, search="o")
        assert len(queries) == expected
    api.post(f"/api/tables/{table.pk}/rows/", {"rows": [{"Stage": "Lost"}]})
    later = api.get(f"/api/tables/{table.pk}/choices/").json()["columns"]
    assert later["Stage"]["Lost"] == 1


def test_pages_include_counts_only_for_small_tables(api: Api, user: User, table: Table) -> None:
    for name, kind in (("Lead", "person"), ("By", "created_by")):
        assert api.post(f"/api/tables/{table.pk}/columns/", {"name": name, "type": kind}).status_code == 201
    api.post(f"/api/tables/{table.pk}/rows/", {"rows": [{"Lead": user.pk}]})
    page = api.get(f"/tables/{table.pk}/").content.decode()
    assert page.count(f'{user.username}</span> <span class="menu__count">5</span>') == 1
    mine = {"filter": strictjson.dumps({"column": "By", "op": "any_of", "value": [user.username]})}
    found = api.get(f"/api/tables/{table.pk}/choices/", columns="Lead,By", **mine).json()["columns"]
    assert found == {"Lead": {str(user.pk): 1}, "By": {str(user.pk): 5}}
    assert 'Open <span class="n">2</span>' in page
    assert 'Web</span> <span class="menu__count">3</span>' in page
    assert page.count(f'{user.username}</span> <span class="menu__count">1</span>') == 1
    write_rows(table, [{"Stage": "Open"}] * 2_000)
    Table.objects.filter(pk=table.pk).update(version=table.version + 1)
    assert 'class="n"' not in api.get(f"/tables/{table.pk}/").content.decode()
    assert api.get(f"/api/tables/{table.pk}/choices/", keys="id").status_code == 200
