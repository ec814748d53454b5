"""The tools of a table: their results, writes and access."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.agent.tools import ToolContext, ToolResult, tools
from chat.exceptions import ToolFailure
from tables.operations import Origin
from tables.services import create_table
from tests.chat.pages.page_contexts import build
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import answer_of, run_turn
from tests.scripted_model import ScriptedModel, say, use

pytestmark = pytest.mark.django_db

COLUMNS = [
    {"name": "Company", "type": "text", "required": True},
    {"name": "Status", "type": "select", "options": ["Applied", "Offer"]},
    {"name": "Salary", "type": "number"},
]
ROWS = [
    {"Company": "Acme", "Status": "Applied", "Salary": 100},
    {"Company": "Globex", "Status": "Offer", "Salary": 300},
    {"Company": "Initech", "Status": "Applied"},
]


@pytest.fixture
def context(user: User) -> ToolContext:
    table = create_table(user=user, name="Jobs", columns=COLUMNS, rows=ROWS, origin=Origin("api"))
    return ToolContext(page="table_view", object_id=str(table.pk))


def run(name: str, *, user: User, context: ToolContext, **params: Any) -> Any:
    tool = tools.get(name)
    assert tool is not None
    return tool.executor(params, user=user, context=context)


def read(name: str, *, user: User, context: ToolContext, **params: Any) -> Any:
    return json.loads(run(name, user=user, context=context, **params))


def test_describe_table_names_the_columns_and_counts_all_rows(user: User, context: ToolContext) -> None:
    result = read("describe_table", user=user, context=context)
    kinds = [(column["name"], column["type"], column["required"]) for column in result["columns"]]
    assert kinds == [("Company", "text", True), ("Status", "select", False), ("Salary", "number", False)]
    assert result["columns"][1]["options"] == ["Applied", "Offer"]
    assert result["rows"] == 3
    assert result["counts"]["Status"] == {"Applied": 2, "Offer": 1}
    assert result["ranges"]["Salary"] == {"min": 100, "max": 300}


def test_get_rows_returns_the_total_of_matches(user: User, context: ToolContext) -> None:
    wanted = {"column": "Status", "op": "any_of", "value": ["Applied"]}
    result = read("get_rows", user=user, context=context, filter=wanted, limit=1)
    assert result["matching_rows"] == 2
    assert [row["data"]["Company"] for row in result["rows"]] == ["Acme"]


def test_get_rows_has_sort_and_offset(
    user: User, context: ToolContext
) -> None:
    result = read("get_rows", user=user, context=context, sort="-Company", offset=1)
    assert [row["data"]["Company"] for row in result["rows"]] == ["Globex", "Acme"]
    assert result["matching_rows"] == 3


def test_row_is_found_and_deleted_by_its_number_in_the_view(user: User, context: ToolContext) -> None:
    table = int(context.object_id)
    view = {"sort": "-Company", "filter": {"column": "Status", "op": "any_of", "value": ["Applied"]}}
    sorted_view = replace(context, view=view)

    result = read("get_rows", user=user, context=sorted_view, in_view=True, offset=1)
    assert [(row["number"], row["data"]["Company"]) for row in result["rows"]] == [(2, "Acme")]
    assert result["matching_rows"] == 2
    shown = build("table_view", user=user, object_id=str(table), **view).data["sample_rows"]
    assert [(row["number"], row["row_id"]) for row in shown if row["number"] == 2] == [(2, result["rows"][0]["row_id"])]

    run("delete_row", user=user, context=sorted_view, row_id=result["rows"][0]["row_id"])
    left = read("get_rows", user=user, context=context)
    assert [row["data"]["Company"] for row in left["rows"]] == ["Globex", "Initech"]


@pytest.mark.parametrize(
    ("tool", "params", "error"),
    [
        ("delete_row", {"row_id": 10**9}, "There is no row with the id 1000000000."),
        ("update_row", {"row_id": 10**9, "changes": {"Salary": 1}}, "There is no row with the id 1000000000."),
        ("create_row", {"data": {"Company": "Acme", "Salary": "lots"}}, "Salary: “lots” is not a number"),
    ],
    ids=["delete", "update", "add"],
)
def test_invalid_row_is_refused_with_its_error(
    tool: str, params: dict[str, Any], error: str, user: User, context: ToolContext
) -> None:
    with pytest.raises(ToolFailure) as caught:
        run(tool, user=user, context=context, **params)

    assert str(caught.value).startswith(error)


def test_view_is_not_read_with_another_filter(user: User, context: ToolContext) -> None:
    with pytest.raises(ToolFailure, match="leave out"):
        run("get_rows", user=user, context=context, in_view=True, sort="Company")


def test_get_rows_names_an_unknown_column(user: User, context: ToolContext) -> None:
    with pytest.raises(ToolFailure, match="Status"):
        run("get_rows", user=user, context=context, filter={"column": "Statsu", "op": "empty"})


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("tool", ["get_rows", "search_rows"])
@pytest.mark.parametrize(("limit", "given"), [(200, 3), (201, None), (0, None)])
def test_tools_return_at_most_two_hundred_rows(
    user: User, context: ToolContext, tool: str, limit: int, given: int | None
) -> None:
    view = {"current_page": "table_view", "table_id": int(context.object_id)}
    words = {"query": "e"} if tool == "search_rows" else {}
    script = ScriptedModel(use((tool, {"limit": limit, **words})), say("Those are they."))
    turn, _ = run_turn(user, script, turn_request(page="table_view", object_id=context.object_id, context=view))

    (entry,) = answer_of(turn).tool_history
    assert entry["is_error"] is (given is None)
    if given is None:
        assert "limit" in entry["output"]
    else:
        assert len(json.loads(entry["output"])["rows"]) == given


def test_search_rows_finds_words(user: User, context: ToolContext) -> None:
    result = read("search_rows", user=user, context=context, query="glob offer")
    assert [row["data"]["Company"] for row in result["rows"]] == ["Globex"]


def test_list_tables_lists_only_own_tables(user: User, other_user: User, context: ToolContext) -> None:
    [table] = read("list_tables", user=user, context=context)["tables"]
    assert (table["name"], table["rows"], table["columns"][0]) == ("Jobs", 3, "Company (text)")
    assert read("list_tables", user=other_user, context=context)["tables"] == []


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("describe_table", {}),
        ("get_rows", {}),
        ("search_rows", {"query": "a"}),
        ("create_row", {"data": {"Company": "X"}}),
        ("update_row", {"row_id": 1, "changes": {"Company": "X"}}),
        ("delete_row", {"row_id": 1}),
    ],
)
def test_table_of_another_user_does_not_exist(
    name: str, params: dict[str, Any], other_user: User, context: ToolContext
) -> None:
    with pytest.raises(ToolFailure) as anothers:
        run(name, user=other_user, context=context, **params)
    with pytest.raises(ToolFailure) as missing:
        run(name, user=other_user, context=ToolContext(page="table_view", object_id="999999"), **params)
    assert str(anothers.value) == str(missing.value)


def test_row_written_directly_can_be_undone(user: User, context: ToolContext, client: Client) -> None:
    result: ToolResult = run("create_row", user=user, context=context, data={"Company": "Hooli", "Salary": "1,200"})
    assert read("describe_table", user=user, context=context)["rows"] == 4
    client.force_login(user)
    assert result.undo is not None
    change = "/api/tables/{table_id}/changes/{change_id}/".format(**result.undo)
    answer = client.post(change + "undo/", {}, content_type="application/json")
    assert answer.status_code == 200
    assert read("describe_table", user=user, context=context)["rows"] == 3


def test_invalid_value_is_reported_to_the_model_and_nothing_is_written(user: User, context: ToolContext) -> None:
    with pytest.raises(ToolFailure, match="Applied"):
        run("create_row", user=user, context=context, data={"Company": "Hooli", "Status": "Dreaming"})
    assert read("describe_table", user=user, context=context)["rows"] == 3


def test_turn_writes_at_most_five_rows(user: User, context: ToolContext) -> None:
    for number in range(5):
        run("create_row", user=user, context=context, data={"Company": f"Company {number}"})
    with pytest.raises(ToolFailure, match="DATA_PROPOSAL"):
        run("create_row", user=user, context=context, data={"Company": "one too many"})
    assert read("describe_table", user=user, context=context)["rows"] == 8


def test_deleted_row_is_returned_with_its_values(user: User, context: ToolContext) -> None:
    first = read("get_rows", user=user, context=context)["rows"][0]
    company = json.dumps(next(iter(first["data"].values())))
    done = run("delete_row", user=user, context=context, row_id=first["row_id"])
    assert done.text == f"Deleted row {first['row_id']}: {company}."


def test_turn_deletes_at_most_one_row(user: User, context: ToolContext) -> None:
    first, second, _ = read("get_rows", user=user, context=context)["rows"]
    run("delete_row", user=user, context=context, row_id=first["row_id"])
    with pytest.raises(ToolFailure, match="DATA_PROPOSAL"):
        run("delete_row", user=user, context=context, row_id=second["row_id"])
    assert read("describe_table", user=user, context=context)["rows"] == 2
