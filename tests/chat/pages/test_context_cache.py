"""A look at an unchanged table is kept, and never stands for another view, another day, or somebody without rights."""
from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from chat.page_config import PageContext
from chat.pages.context_cache import ContextCache
from chat.pages.table_data import rows_data
from tables.exceptions import NotFound
from tests.chat.pages.page_contexts import build
from tests.conftest import Api
from tests.tables.shared_table import WRITING, first, make_table, share

pytestmark = pytest.mark.django_db

TODAY = date(2026, 3, 4)
Json = dict[str, Any]


@pytest.fixture
def table(api: Api) -> str:
    return make_table(api)


def number(table: str) -> str:
    return table.split("/")[-2]


def look(user: User, table: str, **view: Any) -> Json:
    return build("table_view", user=user, object_id=number(table), **view).data


def test_an_unchanged_table_is_read_and_put_together_once(user: User, table: str) -> None:
    shown = look(user, table)

    with CaptureQueriesContext(connection) as asked:
        again = look(user, table)

    assert again == shown
    assert not [query["sql"] for query in asked if "tables_row" in query["sql"] or "tables_column" in query["sql"]]


@pytest.mark.parametrize("change", sorted(WRITING))
def test_every_change_shows_at_once(user: User, api: Api, table: str, change: str) -> None:
    look(user, table)

    answer = WRITING[change](api, table, first(api, table))

    assert answer.status_code < 400, answer.content
    shown = look(user, table)
    stored = api.get(f"{table}rows/").json()["rows"]
    assert [row["row_id"] for row in shown["sample_rows"]] == [row["id"] for row in stored]
    assert shown["table"]["name"] == api.get(table).json()["name"]
    assert [c["name"] for c in shown["table"]["columns"]] == [
        column["name"] for column in api.get(f"{table}columns/").json()["columns"]
    ]
    assert [row["data"] for row in shown["sample_rows"]] == [
        {name: value for name, value in row["data"].items() if value is not None} for row in stored
    ]


@pytest.mark.parametrize(
    "view",
    [
        {"filter": {"column": "Company", "op": "eq", "value": "Bolt"}},
        {"sort": "-Company"},
        {"search": "bolt"},
        {"selected_row_ids": [1, 2, 3, 4, 5, 6, 7, 8, 9]},
    ],
    ids=lambda view: next(iter(view)),
)
def test_another_view_is_another_look(user: User, table: str, view: Json) -> None:
    plain = look(user, table)

    other = look(user, table, **view)

    assert other["view"] != plain["view"] or "selected_row_ids" in view
    assert look(user, table) == plain
    assert look(user, table, **view) == other


def test_the_next_day_is_another_look(user: User, table: str) -> None:
    context = PageContext(user=user, page="table_view", object_id=number(table), view={})

    days = [rows_data(context, today=TODAY + timedelta(days=after))["today"] for after in (0, 1, 0)]

    assert days == ["2026-03-04", "2026-03-05", "2026-03-04"]


def test_who_lost_the_table_is_shown_no_look_that_is_kept(
    user: User, other_user: User, api: Api, other_api: Api, table: str
) -> None:
    share(api, table, other_api, role="viewer")
    assert look(other_user, table) == look(user, table)

    gone = api.delete(f"{table}members/{other_user.get_username()}/")

    assert gone.status_code < 300, gone.content
    with pytest.raises(NotFound):
        look(other_user, table)


def test_at_most_so_many_are_kept_those_asked_for_last() -> None:
    cache = ContextCache(max_entries=2)
    made: list[str] = []

    def ask(key: str, *, holds: bool = True) -> None:
        def make() -> tuple[Json, bool]:
            made.append(key)
            return {"key": key}, holds

        assert cache.get_or_build(key, make) == {"key": key}

    for key in ("a", "b", "a", "c", "a", "b"):
        ask(key)
    ask("old", holds=False)
    ask("old", holds=False)

    assert made == ["a", "b", "c", "b", "old", "old"]
