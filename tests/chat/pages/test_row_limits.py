"""Limits of the table data in the prompt; the remainder is counted."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from shared import strictjson
from tables.operations import Origin
from tables.services import create_table
from tests.chat.pages.page_contexts import build, make_table

pytestmark = pytest.mark.django_db

Json = dict[str, Any]
API = Origin("api")


@pytest.mark.parametrize("page", ["table_view", "table_edit"])
def test_sixty_columns_with_thirty_options_are_described_and_others_counted(user: User, page: str) -> None:
    options = [f"o{number}" for number in range(33)]
    columns: list[Json] = [{"name": "S", "type": "select", "options": options}]
    columns += [{"name": f"c{number}", "type": "text"} for number in range(61)]
    table = create_table(user=user, name="Wide", columns=columns, origin=API)

    shown = build(page, user=user, object_id=str(table.pk)).data["table"]

    assert (len(shown["columns"]), shown["columns_left_out"]) == (60, 2)
    assert (shown["columns"][0]["options"], shown["columns"][0]["options_left_out"]) == (options[:30], 3)


def test_fifty_tables_are_listed_and_all_are_counted(user: User) -> None:
    for number in range(52):
        create_table(user=user, name=f"T{number}", columns=[{"name": "A", "type": "text"}], origin=API)

    data = build("tables_list", user=user).data

    assert (len(data["tables"]), data["tables_total"]) == (50, 52)


def test_twenty_sample_rows_and_fifty_selected_rows_are_included(user: User) -> None:
    table = make_table(user, rows=70)
    first = build("table_view", user=user, object_id=table).data["sample_rows"][0]["row_id"]
    selected = [*range(first, first + 60), first]

    data = build("table_view", user=user, object_id=table, selected_row_ids=selected).data

    assert (len(data["sample_rows"]), data["table"]["rows"]) == (20, 70)
    assert [row["row_id"] for row in data["selected_rows"]] == selected[:50]
    assert data["selected_rows_left_out"] == 10


def test_filter_sort_and_search_are_included_with_their_counts(user: User) -> None:
    table = make_table(user, rows=12)
    wanted: Json = {"filter": {"column": "Status", "op": "any_of", "value": ["Applied"]}, "sort": "-Company"}

    data = build("table_view", user=user, object_id=table, search="company 1", **wanted).data

    view = data["view"]
    assert strictjson.dumps(wanted["filter"]["value"]) in strictjson.dumps(view["filter"])
    assert view["sort"] == "-Company"
    assert (view["search"], view["matching_rows"]) == ("company 1", 3)
    assert [row["data"]["Company"] for row in data["sample_rows"]] == ["Company 11", "Company 10", "Company 1"]
