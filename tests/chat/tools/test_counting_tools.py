"""Tools that compute over all rows: their results, names and errors."""
from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.agent.tools import ToolContext, tools
from chat.exceptions import ToolFailure
from chat.json_schema import faults_of
from tables.operations import Origin
from tables.services import create_table

pytestmark = pytest.mark.django_db

COLUMNS = [
    {"name": "Company", "type": "text", "required": True},
    {"name": "Status", "type": "select", "options": ["Applied", "Offer"]},
    {"name": "Salary", "type": "number"},
    {"name": "Due", "type": "date"},
]
ROWS = [
    {"Company": "Acme", "Status": "Applied", "Salary": 100, "Due": "2024-01-31"},
    {"Company": "Globex", "Status": "Offer", "Salary": 300, "Due": "2024-02-01"},
    {"Company": "ACME", "Status": "Applied", "Salary": 0.1, "Due": "2024-02-02"},
    {"Company": "Initech"},
    {"Company": "Globex", "Status": "Offer", "Salary": 300, "Due": "2024-02-01"},
]


@pytest.fixture
def context(user: User) -> ToolContext:
    table = create_table(user=user, name="Jobs", columns=COLUMNS, rows=ROWS, origin=Origin("api"))
    return ToolContext(page="table_view", object_id=str(table.pk))


def read(name: str, *, user: User, context: ToolContext, **params: Any) -> Any:
    tool = tools.get(name)
    assert tool is not None
    assert faults_of(params, tool.input_schema) == ()
    return json.loads(tool.executor(params, user=user, context=context))


def test_only_selected_rows_are_read_and_computed_on_request(user: User, context: ToolContext) -> None:
    rows = read("get_rows", user=user, context=context)["rows"]
    selected = replace(context, view={"selected_row_ids": [rows[0]["row_id"], rows[1]["row_id"], "x", 10**9]})
    measures = [{"function": "average", "column": "Salary"}]
    (whole,) = read("aggregate_rows", user=user, context=selected, measures=measures, selected=True)["groups"]
    assert (whole["rows"], whole["values"]) == (2, {"average of Salary": 200})
    offers = {"column": "Status", "op": "any_of", "value": ["Offer"]}
    result = read("get_rows", user=user, context=selected, filter=offers, selected=True)
    assert ([row["data"]["Company"] for row in result["rows"]], result["matching_rows"]) == (["Globex"], 1)
    with pytest.raises(ToolFailure, match="No rows are selected"):
        read("get_rows", user=user, context=context, selected=True)


def test_sums_by_group_are_named_in_the_order_of_the_options(user: User, context: ToolContext) -> None:
    result = read(
        "aggregate_rows", user=user, context=context,
        group_by=[{"column": "Status"}], measures=[{"function": "sum", "column": "Salary"}],
    )  # fmt: skip
    assert result == {
        "groups": [
            {"group": {"Status": "Applied"}, "rows": 2, "values": {"sum of Salary": 100.1}},
            {"group": {"Status": "Offer"}, "rows": 2, "values": {"sum of Salary": 600}},
            {"group": {"Status": None}, "rows": 1, "values": {"sum of Salary": None}},
        ],
        "groups_total": 3,
        "matching_rows": 5,
    }


def test_largest_groups_come_first_on_request(user: User, context: ToolContext) -> None:
    result = read(
        "aggregate_rows", user=user, context=context, group_by=[{"column": "Due", "by": "month"}],
        measures=[{"function": "count"}], order="largest", limit=1,
    )  # fmt: skip
    assert result["groups"] == [{"group": {"Due": "2024-02"}, "rows": 3, "values": {"rows": 3}}]
    assert result["groups_total"] == 3


def test_all_rows_are_one_group_and_may_be_filtered(user: User, context: ToolContext) -> None:
    result = read(
        "aggregate_rows", user=user, context=context, measures=[{"function": "average", "column": "salary"}],
        filter={"column": "Status", "op": "any_of", "value": ["Offer"]},
    )  # fmt: skip
    assert result["groups"] == [{"group": {}, "rows": 2, "values": {"average of Salary": 300}}]


def test_minimum_and_maximum_of_numbers_and_dates(user: User, context: ToolContext) -> None:
    measures = [{"function": how, "column": name} for how in ("min", "max") for name in ("Salary", "Due")]
    (whole,) = read("aggregate_rows", user=user, context=context, measures=measures)["groups"]
    assert whole["values"] == {
        "min of Salary": 0.1, "max of Salary": 300, "min of Due": "2024-01-31", "max of Due": "2024-02-02",
    }  # fmt: skip


def test_duplicates_in_a_column_ignore_case(user: User, context: ToolContext) -> None:
    result = read("find_duplicates", user=user, context=context, columns=["Company"])
    assert (result["groups_total"], result["repeated_rows"]) == (2, 2)
    assert [(group["rows"], group["first"]["Company"]) for group in result["groups"]] == [(2, "Acme"), (2, "Globex")]


def test_duplicates_in_all_cells_have_their_ids(user: User, context: ToolContext) -> None:
    (group,) = read("find_duplicates", user=user, context=context)["groups"]
    rows = read("get_rows", user=user, context=context)["rows"]
    assert group["row_ids"] == [rows[1]["row_id"], rows[4]["row_id"]]


@pytest.mark.parametrize("params", [{}, {"columns": ["Company"]}], ids=["all cells", "one column"])
def test_first_fifty_ids_of_duplicates_are_returned(user: User, params: Any) -> None:
    rows = [{"Company": name} for name in ("Acme", "Globex") * 60]
    table = create_table(user=user, name="Many", columns=COLUMNS, rows=rows, origin=Origin("api"))
    ids = list(table.rows.order_by("position").values_list("pk", flat=True))
    context = ToolContext(page="table_view", object_id=str(table.pk))

    result = read("find_duplicates", user=user, context=context, **params)

    assert [group["row_ids"] for group in result["groups"]] == [ids[0::2][:50], ids[1::2][:50]]
    assert [group["rows"] for group in result["groups"]] == [60, 60]
    assert (result["groups_total"], result["repeated_rows"]) == (2, 118)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("aggregate_rows", {"measures": [{"function": "sum", "column": "Salry"}]}),
        ("aggregate_rows", {"group_by": [{"column": "Salry"}]}),
        ("find_duplicates", {"columns": ["Salry"]}),
        ("find_duplicates", {"filter": {"column": "Salry", "op": "empty"}}),
    ],
)
def test_unknown_column_gets_a_suggestion(
    name: str, params: dict[str, Any], user: User, context: ToolContext
) -> None:
    with pytest.raises(ToolFailure, match="Salary"):
        read(name, user=user, context=context, **params)


@pytest.mark.parametrize("name", ["aggregate_rows", "find_duplicates"])
def test_table_of_another_user_does_not_exist(name: str, other_user: User, context: ToolContext) -> None:
    with pytest.raises(ToolFailure) as anothers:
        read(name, user=other_user, context=context)
    with pytest.raises(ToolFailure) as missing:
        read(name, user=other_user, context=ToolContext(page="table_view", object_id="999999"))
    assert str(anothers.value) == str(missing.value)
