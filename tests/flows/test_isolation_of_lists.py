"""Lists are ordered, filtered and searched by what they show, never by what they do not; others' things are nothing."""
from __future__ import annotations

import json
from typing import Any

import pytest

from tests.flows.isolation_world import World

Json = dict[str, Any]
TABLES = "/api/tables/"
CONVERSATIONS = "/api/chat/conversations/"
# What rows, tables and people have beside what is shown.
HIDDEN = ["owner", "owner__password", "-owner__email", "deleted_at", "members__role", "id", "pk", "?", "name,-id"]
BESIDE = ["search_text", "cells_hash", "position", "created_by", "deleted_at", "table__owner", "data", "id", "version"]


def answer(world: World, path: str, *, who: str = "the owner", **query: Any) -> tuple[int, Json]:
    """Status and answer, without what is another's every time."""
    response = world.actors[who].get(path, query)
    body = response.json()
    body.pop("request_id", None)
    return response.status_code, body


def rows_path(world: World, part: str = "rows") -> str:
    return f"{TABLES}{world.ids['table_id']}/{part}/"


@pytest.mark.parametrize("field", HIDDEN)
def test_tables_are_ordered_by_what_is_shown_and_by_nothing_else(world: World, field: str) -> None:
    status, body = answer(world, TABLES, ordering=field)
    assert (status, body["errors"][0]["path"]) == (400, "ordering")
    assert answer(world, CONVERSATIONS, ordering=field)[0] == 400


@pytest.mark.parametrize("field", BESIDE)
@pytest.mark.parametrize("part", ["rows", "stats"])
def test_rows_are_found_by_columns_and_by_nothing_else(world: World, part: str, field: str) -> None:
    ways: list[Json] = [{"filter": json.dumps({"column": field, "op": "not_empty"})}]
    ways += [{"sort": field}, {"columns": field}] if part == "rows" else []
    for way in ways:
        status, body = answer(world, rows_path(world, part), **way)
        assert status == 422
        assert {fault["code"] for fault in body["errors"]} == {"unknown_column"}


def test_a_column_of_anothers_table_is_like_none(world: World) -> None:
    graces = f"{TABLES}{world.graces['table_id']}/columns/"
    theirs = world.actors["another person"].get(graces).json()["columns"][0]["id"]
    for way in ("filter", "sort", "columns"):
        answers = []
        for column in (theirs, "col_00000000"):
            said = json.dumps({"column": column, "op": "not_empty"}) if way == "filter" else column
            status, body = answer(world, rows_path(world), **{way: said})
            answers.append((status, json.dumps(body).replace(column, "it")))
        assert answers[0] == answers[1]
        assert answers[0][0] == 422


def test_a_search_for_tables_finds_ones_own_by_name_and_description_and_no_more(world: World) -> None:
    renamed = world.actors["another person"].patch(
        f"{TABLES}{world.graces['table_id']}/", {"name": "Jobs Zebra"}, content_type="application/json"
    )
    assert renamed.status_code == 200
    for words in ("Zebra", "Acme", "ada", "grace", "Salary", "Jobs Zebra"):
        status, body = answer(world, TABLES, search=words)
        assert (status, body["count"], body["tables"]) == (200, 0, [])
    assert answer(world, TABLES, search="jobs")[1]["count"] == 1


def test_members_do_not_find_what_its_owner_threw_away(world: World) -> None:
    assert answer(world, TABLES, who="an editor")[1]["count"] == 1
    assert world.ada.delete(f"{TABLES}{world.ids['table_id']}/").status_code == 200
    for trashed in ("true", "false"):
        assert answer(world, TABLES, who="an editor", trashed=trashed)[1]["count"] == 0
    assert answer(world, TABLES, trashed="true")[1]["count"] == 1


def test_conversations_about_anothers_table_are_like_none_about_nothing(world: World) -> None:
    mine = {"page": "table_view", "object_id": world.ids["table_id"]}
    assert answer(world, CONVERSATIONS, **mine)[1]["count"] == 1
    for who in ("another person", "an editor", "a viewer"):
        nothing = answer(world, CONVERSATIONS, who=who, page="table_view", object_id=10**9)
        assert answer(world, CONVERSATIONS, who=who, **mine) == nothing
        assert nothing[1]["count"] == 0
        assert answer(world, CONVERSATIONS, who=who, search="Hello")[1]["count"] == 0
