"""A request takes as many queries for many rows as for few: the main doors, each with its number."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from tables.models import POSITION_STEP, Row, Table
from tables.operations import Choice, Origin
from tables.services import apply_data, compose_data, prepare_data
from tests.captured_queries import CapturedQueries
from tests.conftest import Api
from tests.tables.sample_tables import write_table

Door = Callable[[Api, Table, list[int]], Any]
FEW, MANY = 10, 1_000


def filled(user: User, *, count: int) -> Table:
    """Rows with a company and a number each, and room behind them."""
    rows = [{"Company": f"Company {number}", "Salary": number} for number in range(count)]
    table = write_table(user, [("Company", "text"), ("Salary", "number")], rows)
    table.next_position = count
    table.save()
    return table


def at(table: Table, rest: str) -> str:
    return f"/api/tables/{table.pk}/{rest}"


def listed(api: Api, table: Table, ids: list[int]) -> Any:
    view = {"sort": "-Salary", "filter": '{"column": "Salary", "op": "gte", "value": 0}'}
    return api.get(at(table, "rows/"), limit="1000", **view)


def added(api: Api, table: Table, ids: list[int]) -> Any:
    return api.post(at(table, "rows/"), {"rows": [{"Company": "New", "Salary": n} for n, _ in enumerate(ids)]})


def changed(api: Api, table: Table, ids: list[int]) -> Any:
    return api.patch(at(table, "rows/"), {"rows": [{"id": pk, "data": {"Salary": -pk}} for pk in ids]})


def merged(api: Api, table: Table, ids: list[int]) -> Any:
    rows = [{"Company": f"Company {2 * number}", "Salary": -1} for number, _ in enumerate(ids)]
    body = {"merge_on": ["Company"], "rows": rows}
    return api.client.put(at(table, "rows/"), body, content_type="application/json")


def deleted(api: Api, table: Table, ids: list[int]) -> Any:
    return api.post(at(table, "rows/delete/"), {"ids": ids})


def moved(api: Api, table: Table, ids: list[int]) -> Any:
    Row.objects.filter(table=table).update(position=F("position") * POSITION_STEP)
    return api.post(at(table, "rows/move/"), {"ids": ids[1::2], "after_row_id": ids[0]})


def everything(table: Table, ids: list[int]) -> list[dict[str, Any]]:
    """Rows of each kind of operation."""
    third = len(ids) // 3
    return [
        *({"action": "add", "data": {"Company": "New"}} for _ in ids[:third]),
        *({"action": "update", "row_id": pk, "changes": {"Salary": -pk}} for pk in ids[third : 2 * third]),
        *({"action": "delete", "row_id": pk} for pk in ids[2 * third :]),
    ]


def proposed(api: Api, table: Table, ids: list[int]) -> Any:
    return api.post(at(table, "proposals/data/"), {"operations": everything(table, ids)})


def proposed_by_condition(api: Api, table: Table, ids: list[int]) -> Any:
    where = {"column": "Salary", "op": "gte", "value": 0}
    return api.post(at(table, "proposals/data/"), {"operations": [{"action": "delete", "where": where}]})


def one_added(api: Api, table: Table, ids: list[int]) -> Any:
    return api.post(at(table, "rows/"), {"Company": "New"})


def one_changed(api: Api, table: Table, ids: list[int]) -> Any:
    return api.patch(at(table, f"rows/{ids[0]}/"), {"data": {"Salary": -1}})


def one_deleted(api: Api, table: Table, ids: list[int]) -> Any:
    return api.delete(at(table, f"rows/{ids[0]}/"))


@pytest.mark.parametrize(
    ("door", "queries"),
    [
        pytest.param(listed, 4, id="a page of rows"),
        pytest.param(added, 11, id="rows added"),
        pytest.param(changed, 12, id="rows changed"),
        pytest.param(merged, 16, id="rows changed or added"),
        pytest.param(deleted, 12, id="rows deleted"),
        pytest.param(moved, 20, id="rows moved"),
        pytest.param(proposed, 17, id="a proposal with all kinds of operations"),
        pytest.param(proposed_by_condition, 13, id="a proposal with a condition"),
    ],
)
def test_a_door_takes_as_many_queries_for_a_thousand_rows_as_for_ten(
    user: User, api: Api, door: Door, queries: int
) -> None:
    counts = {}
    for count in (FEW, MANY):
        table = filled(user, count=count)
        ids = list(Row.objects.filter(table=table).order_by("position").values_list("pk", flat=True))
        with CapturedQueries() as asked:
            assert door(api, table, ids).status_code in (200, 201)
        counts[count] = len(asked)
    assert counts == {FEW: queries, MANY: queries}, [query["sql"][:120] for query in asked.captured_queries]


@pytest.mark.parametrize(
    ("view", "count"),
    [
        pytest.param({"search": "nowhere at all"}, 0, id="nothing is found"),
        pytest.param({"search": "company"}, FEW, id="a page has room for all"),
        pytest.param({"search": "company", "offset": "5", "limit": "5"}, FEW, id="the last page"),
    ],
)
@pytest.mark.parametrize("door", ["/api/tables/{}/rows/", "/tables/{}/"], ids=["over the API", "on the page"])
def test_rows_are_looked_through_once_where_the_end_of_them_is_seen(
    user: User, api: Api, door: str, view: dict[str, str], count: int
) -> None:
    table = filled(user, count=FEW)
    with CapturedQueries() as asked:
        answer = api.get(door.format(table.pk), **(view if door.startswith("/api/") else {"search": view["search"]}))
    told = answer.json()["count"] if door.startswith("/api/") else answer.context["matching"]
    assert told == count
    through = [query["sql"] for query in asked.captured_queries if "search_text" in query["sql"]]
    assert len(through) == 1, through


def test_a_stored_proposal_is_applied_with_as_many_queries_for_a_thousand_operations_as_for_ten(user: User) -> None:
    counts = {}
    for count in (FEW, MANY):
        table = filled(user, count=count)
        ids = list(Row.objects.filter(table=table).order_by("position").values_list("pk", flat=True))
        proposal = {"operations": everything(table, ids)}
        with CapturedQueries() as preparing:
            prepared = prepare_data(user=user, table_id=table.pk, proposal=proposal)
        asked: Any = {"user": user, "prepared": prepared, "choice": Choice()}
        with CapturedQueries() as composing:
            composed = compose_data(**asked)
        with CapturedQueries() as applying:
            apply_data(**asked, origin=Origin("proposal"), composed=composed)
        counts[count] = (len(preparing), len(composing), len(applying))
    assert counts[FEW] == counts[MANY] == (3, 4, 12)


@pytest.mark.parametrize(
    ("door", "queries"),
    [
        pytest.param(one_added, 10, id="added"),
        pytest.param(one_changed, 14, id="changed"),
        pytest.param(one_deleted, 14, id="deleted"),
    ],
)
def test_one_row_is_written_with_the_same_few_queries_in_a_small_and_a_large_table(
    user: User, api: Api, door: Door, queries: int
) -> None:
    counts = []
    for count in (FEW, MANY):
        table = filled(user, count=count)
        ids = list(Row.objects.filter(table=table).values_list("pk", flat=True)[:1])
        with CapturedQueries() as asked:
            assert door(api, table, ids).status_code in (200, 201)
        counts.append(len(asked))
    assert counts == [queries, queries]


def test_a_new_minute_in_which_calls_are_counted_changes_no_door(user: User, api: Api, settings: Any) -> None:
    # So few that each call is counted by itself.
    settings.API_CALLS_A_MINUTE = 100
    table = filled(user, count=FEW)
    with CaptureQueriesContext(connection) as sent, CapturedQueries() as asked:
        assert listed(api, table, []).status_code == 200
    assert (len(sent), len(asked)) == (6, 4)
