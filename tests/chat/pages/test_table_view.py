"""The context of table_view: bounded, and limited to accessible tables."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.exceptions import Malformed
from chat.turns.request import read_turn_request
from shared import strictjson
from tables.exceptions import NotFound
from tables.operations import Origin
from tables.services import create_table
from tests.chat.pages.page_contexts import build, make_table

pytestmark = pytest.mark.django_db


def test_open_table_has_rows_counts_and_the_view(user: User) -> None:
    table = make_table(user)
    wanted = {"column": "Status", "op": "any_of", "value": ["Applied"]}
    data = build("table_view", user=user, object_id=table, filter=wanted).data
    assert data["table"]["rows"] == 3
    assert data["view"]["matching_rows"] == 2
    assert [row["data"]["Company"] for row in data["sample_rows"]] == ["Company 1", "Company 2"]
    assert data["counts"]["Status"] == {"Applied": 2, "Offer": 1}


def test_selected_rows_are_included(user: User) -> None:
    table = make_table(user)
    first = build("table_view", user=user, object_id=table).data["sample_rows"][0]
    data = build("table_view", user=user, object_id=table, selected_row_ids=[first["row_id"], 999_999, "x"]).data
    assert data["selected_rows"] == [{"row_id": first["row_id"], "data": first["data"]}]


@pytest.mark.parametrize(
    "hint",
    [
        pytest.param({"filter": {"column": "Nope", "op": "empty"}}, id="unknown column"),
        pytest.param({"filter": "everything"}, id="not a filter"),
        pytest.param({"sort": "Nope"}, id="unknown sort"),
        pytest.param({"search": 7}, id="search is not text"),
        pytest.param({"selected_row_ids": "all"}, id="selection is not a list"),
    ],
)
def test_invalid_view_settings_are_left_out(hint: dict[str, Any], user: User) -> None:
    table = make_table(user)
    assert build("table_view", user=user, object_id=table, **hint).data["view"]["matching_rows"] == 3


def test_a_view_of_the_wrong_form_is_refused() -> None:
    context = {
        "current_page": "table_view", "table_id": "x", "filter": 5, "sort": 7, "search": 3,
        "selected_row_ids": [1, "q"], "visible_column_ids": "z",
    }  # fmt: skip
    with pytest.raises(Malformed) as refused:
        read_turn_request({"message": "Hello", "context": context})
    assert sorted(fault.as_json()["path"] for fault in refused.value.faults) == [
        "context.filter", "context.search", "context.selected_row_ids[1]", "context.sort", "context.table_id",
        "context.visible_column_ids",
    ]  # fmt: skip
    plain = {"filter": [], "sort": ["-Due"], "search": "", "selected_row_ids": [1], "visible_column_ids": ["col_1"]}
    for fields in ({}, plain, dict.fromkeys(plain)):
        read_turn_request({"message": "Hello", "context": {"current_page": "table_view", "table_id": "7", **fields}})


def test_large_table_takes_at_most_24_kilobytes(user: User) -> None:
    columns = [{"name": f"Column {number}", "type": "text"} for number in range(70)]
    rows = [{f"Column {number}": "word " * 60 for number in range(70)} for _ in range(25)]
    table = create_table(user=user, name="Wide", columns=columns, rows=rows, origin=Origin("api"))
    data = build("table_view", user=user, object_id=str(table.pk)).data
    assert len(strictjson.dumps(data).encode()) <= 24_000
    assert data["table"]["columns_left_out"] == 10


def test_table_of_another_user_is_not_found(user: User, other_user: User) -> None:
    table = make_table(other_user)
    with pytest.raises(NotFound):
        build("table_view", user=user, object_id=table)
