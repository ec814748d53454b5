"""Query counts of the main endpoints do not grow with the number of rows."""
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
# PostgreSQL reserves ids before it copies rows; SQLite inserts the last of many rows separately.
INSERTS_OF_ONE = 1 if connection.vendor == "sqlite" else 2
# PostgreSQL changes 250 rows per statement, and the statements do not wait for each other.
ROWS_PER_UPDATE = MANY if connection.vendor == "sqlite" else 250


def table_of(user: User, *, count: int) -> Table:
    """Create a table of rows with a company and a number."""
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
    """Return operations of each kind."""
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
    ("endpoint", "queries"),
    [
        pytest.param(listed, 4, id="a page of rows"),
        pytest.param(added, 11, id="rows added"),
        pytest.param(changed, 10 + MANY // ROWS_PER_UPDATE, id="rows changed"),
        pytest.param(merged, 16 + -(-MANY // 2 // ROWS_PER_UPDATE), id="rows changed or added"),
        pytest.param(deleted, 11, id="rows deleted"),
        pytest.param(moved, 20, id="rows moved"),
        pytest.param(proposed, 16 + -(-MANY // 3 // ROWS_PER_UPDATE), id="a proposal with all kinds of operations"),
        pytest.param(proposed_by_condition, 12, id="a proposal with a condition"),
    ],
)
def test_queries_do_not_grow_with_the_rows(
    user: User, api: Api, endpoint: Door, queries: int
) -> None:
    counts = {}
    for count in (FEW, MANY):
        table = table_of(user, count=count)
        ids = list(Row.objects.filter(table=table).order_by("position").values_list("pk", flat=True))
        with CapturedQueries() as captured:
            assert endpoint(api, table, ids).status_code in (200, 201)
        counts[count] = len(captured)
    # SQLite inserts a few rows with one statement, any number of rows with two.
    assert counts[FEW] <= counts[MANY] == queries, [query["sql"][:120] for query in captured.captured_queries]


@pytest.mark.parametrize(
    ("view", "count"),
    [
        pytest.param({"search": "nowhere at all"}, 0, id="nothing is found"),
        pytest.param({"search": "company"}, FEW, id="a page has room for all"),
        pytest.param({"search": "company", "offset": "5", "limit": "5"}, FEW, id="the last page"),
    ],
)
@pytest.mark.parametrize("endpoint", ["/api/tables/{}/rows/", "/tables/{}/"], ids=["over the API", "on the page"])
def test_rows_are_scanned_once_when_all_fit_on_a_page(
    user: User, api: Api, endpoint: str, view: dict[str, str], count: int
) -> None:
    table = table_of(user, count=FEW)
    with CapturedQueries() as captured:
        query = view if endpoint.startswith("/api/") else {"search": view["search"]}
        response = api.get(endpoint.format(table.pk), **query)
    matching = response.json()["count"]["value"] if endpoint.startswith("/api/") else response.context["matching"]
    assert matching == count
    scans = [query["sql"] for query in captured.captured_queries if "search_text" in query["sql"]]
    assert len(scans) == 1, scans


def test_queries_of_an_apply_do_not_grow_with_the_operations(user: User) -> None:
    counts = {}
    for count in (FEW, MANY):
        table = table_of(user, count=count)
        ids = list(Row.objects.filter(table=table).order_by("position").values_list("pk", flat=True))
        proposal = {"operations": everything(table, ids)}
        with CapturedQueries() as preparing:
            prepared = prepare_data(user=user, table_id=table.pk, proposal=proposal)
        arguments: Any = {"user": user, "prepared": prepared, "choice": Choice()}
        with CapturedQueries() as composing:
            composed = compose_data(**arguments)
        with CapturedQueries() as applying:
            apply_data(**arguments, origin=Origin("proposal"), composed=composed)
        counts[count] = (len(preparing), len(composing), len(applying))
    assert counts[FEW] <= counts[MANY] == (3, 4, 12 + -(-MANY // 3 // ROWS_PER_UPDATE))


@pytest.mark.parametrize(
    ("endpoint", "queries"),
    [
        pytest.param(one_added, 9 + INSERTS_OF_ONE, id="added"),
        pytest.param(one_changed, 14, id="changed"),
        pytest.param(one_deleted, 14, id="deleted"),
    ],
)
def test_queries_of_a_single_row_write_do_not_grow_with_the_table(
    user: User, api: Api, endpoint: Door, queries: int
) -> None:
    counts = []
    for count in (FEW, MANY):
        table = table_of(user, count=count)
        ids = list(Row.objects.filter(table=table).values_list("pk", flat=True)[:1])
        with CapturedQueries() as captured:
            assert endpoint(api, table, ids).status_code in (200, 201)
        counts.append(len(captured))
    assert counts == [queries, queries]


def test_rate_limit_counts_need_few_queries(user: User, api: Api, settings: Any) -> None:
    # A limit this low makes the rate limit count each call separately.
    settings.API_CALLS_A_MINUTE = 100
    table = table_of(user, count=FEW)
    with CaptureQueriesContext(connection) as sent, CapturedQueries() as captured:
        assert listed(api, table, []).status_code == 200
    assert (len(sent), len(captured)) == (6, 4)
