"""The context of an unchanged table is cached by view and day, and only for users with access."""
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


def view_of(user: User, table: str, **view: Any) -> Json:
    return build("table_view", user=user, object_id=number(table), **view).data


def test_unchanged_table_is_read_and_built_once(user: User, table: str) -> None:
    shown = view_of(user, table)

    with CaptureQueriesContext(connection) as requested:
        again = view_of(user, table)

    assert again == shown
    assert not [query["sql"] for query in requested if "tables_row" in query["sql"] or "tables_column" in query["sql"]]


@pytest.mark.parametrize("change", sorted(WRITING))
def test_every_change_is_visible_at_once(user: User, api: Api, table: str, change: str) -> None:
    # One that can be undone while the table stays.
    api.post(f"{table}rows/", {"Company": "Crux"})
    view_of(user, table)

    answer = WRITING[change](api, table, first(api, table))

    assert answer.status_code < 400, answer.content
    shown = view_of(user, table)
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
def test_other_view_has_its_own_context(user: User, table: str, view: Json) -> None:
    plain = view_of(user, table)

    other = view_of(user, table, **view)

    assert other["view"] != plain["view"] or "selected_row_ids" in view
    assert view_of(user, table) == plain
    assert view_of(user, table, **view) == other


def test_next_day_has_its_own_context(user: User, table: str) -> None:
    context = PageContext(user=user, page="table_view", object_id=number(table), view={})

    days = [rows_data(context, today=TODAY + timedelta(days=after))["today"] for after in (0, 1, 0)]

    assert days == ["2026-03-04", "2026-03-05", "2026-03-04"]


def test_user_who_lost_access_gets_no_cached_context(
    user: User, other_user: User, api: Api, other_api: Api, table: str
) -> None:
    share(api, table, other_api, role="viewer")
    assert view_of(other_user, table) == view_of(user, table)

    removal = api.delete(f"{table}members/{other_user.get_username()}/")

    assert removal.status_code < 300, removal.content
    with pytest.raises(NotFound):
        view_of(other_user, table)


def test_least_recently_used_contexts_are_evicted() -> None:
    cache = ContextCache(max_entries=2)
    created: list[str] = []

    def request(key: str, *, holds: bool = True) -> None:
        def make() -> tuple[Json, bool]:
            created.append(key)
            return {"key": key}, holds

        assert cache.get_or_build(key, make) == {"key": key}

    for key in ("a", "b", "a", "c", "a", "b"):
        request(key)
    request("old", holds=False)
    request("old", holds=False)

    assert created == ["a", "b", "c", "b", "old", "old"]
