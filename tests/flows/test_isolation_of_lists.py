"""Lists are ordered, filtered and searched only by visible fields and own objects."""
from __future__ import annotations

import json
from typing import Any

import pytest

from tests.flows.isolation_world import World

Json = dict[str, Any]
TABLES = "/api/tables/"
CONVERSATIONS = "/api/chat/conversations/"
# Fields of rows, tables and users that are not visible.
HIDDEN = ["owner", "owner__password", "-owner__email", "deleted_at", "members__role", "id", "pk", "?", "name,-id"]
BESIDE = ["search_text", "position", "created_by", "deleted_at", "table__owner", "data", "id", "version"]


def answer(world: World, path: str, *, actor: str = "owner", **query: Any) -> tuple[int, Json]:
    """Return status and body, without values that are new each time."""
    response = world.actors[actor].get(path, query)
    body = response.json()
    body.pop("request_id", None)
    return response.status_code, body


def rows_path(world: World, part: str = "rows") -> str:
    return f"{TABLES}{world.ids['table_id']}/{part}/"


@pytest.mark.parametrize("field", HIDDEN)
def test_tables_are_ordered_only_by_visible_fields(world: World, field: str) -> None:
    status, body = answer(world, TABLES, ordering=field)
    assert (status, body["errors"][0]["path"]) == (400, "ordering")
    assert answer(world, CONVERSATIONS, ordering=field)[0] == 400


@pytest.mark.parametrize("field", BESIDE)
@pytest.mark.parametrize("part", ["rows", "stats"])
def test_rows_are_found_only_by_columns(world: World, part: str, field: str) -> None:
    queries: list[Json] = [{"filter": json.dumps({"column": field, "op": "not_empty"})}]
    queries += [{"sort": field}, {"columns": field}] if part == "rows" else []
    for params in queries:
        status, body = answer(world, rows_path(world, part), **params)
        assert status == 422
        assert {fault["code"] for fault in body["errors"]} == {"unknown_column"}


def test_column_of_another_table_is_like_a_missing_one(world: World) -> None:
    graces = f"{TABLES}{world.graces['table_id']}/columns/"
    other_column = world.actors["other user"].get(graces).json()["columns"][0]["id"]
    for params in ("filter", "sort", "columns"):
        answers = []
        for column in (other_column, "col_00000000"):
            value = json.dumps({"column": column, "op": "not_empty"}) if params == "filter" else column
            status, body = answer(world, rows_path(world), **{params: value})
            answers.append((status, json.dumps(body).replace(column, "it")))
        assert answers[0] == answers[1]
        assert answers[0][0] == 422


def test_search_finds_own_tables_by_name_and_description_only(world: World) -> None:
    renamed = world.actors["other user"].patch(
        f"{TABLES}{world.graces['table_id']}/", {"name": "Jobs Zebra"}, content_type="application/json"
    )
    assert renamed.status_code == 200
    for words in ("Zebra", "Acme", "ada", "grace", "Salary", "Jobs Zebra"):
        status, body = answer(world, TABLES, search=words)
        assert (status, body["count"], body["tables"]) == (200, 0, [])
    assert answer(world, TABLES, search="jobs")[1]["count"] == 1


def test_members_do_not_find_deleted_tables(world: World) -> None:
    assert answer(world, TABLES, actor="editor")[1]["count"] == 1
    assert world.ada.delete(f"{TABLES}{world.ids['table_id']}/").status_code == 200
    for trashed in ("true", "false"):
        assert answer(world, TABLES, actor="editor", trashed=trashed)[1]["count"] == 0
    assert answer(world, TABLES, trashed="true")[1]["count"] == 1


def test_conversations_about_an_inaccessible_table_are_like_those_about_a_missing_one(world: World) -> None:
    own_filter = {"page": "table_view", "object_id": world.ids["table_id"]}
    assert answer(world, CONVERSATIONS, **own_filter)[1]["count"] == 1
    for actor in ("other user", "editor", "viewer"):
        nothing = answer(world, CONVERSATIONS, actor=actor, page="table_view", object_id=10**9)
        assert answer(world, CONVERSATIONS, actor=actor, **own_filter) == nothing
        assert nothing[1]["count"] == 0
        assert answer(world, CONVERSATIONS, actor=actor, search="Hello")[1]["count"] == 0
