"""Conditions are evaluated before the table is locked, in one scan, and again for rows changed since."""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.exceptions import Invalid
from tables.models import Change, Table
from tables.operations import Choice, Origin
from tables.operations.queries.filters import Filter, parse_filter
from tables.selectors import get_table, read_rows, stream_rows, table_shape
from tables.selectors.rows.matches import match_counts, positions_of_matches
from tables.services import add_rows, change_columns, change_rows, delete_rows, read_unlocked, undo_change, update_rows
from tables.services.pipeline.row_lookup import MAX_RECHECKED_ROWS
from tests.conftest import Api

Json = dict[str, Any]
API = Origin("api")
WELL_PAID = {"column": "Salary", "op": "gte", "value": 20}
MARK_WELL_PAID = {"operations": [{"action": "update", "where": WELL_PAID, "changes": {"Note": "seen"}}]}
Meanwhile = Callable[[User, Table, list[int]], Any]


def changed(user: User, table: Table, row_id: int, **data: Any) -> None:
    update_rows(user=user, table_id=table.pk, rows=[{"id": row_id, "data": data}], origin=API)


def undo_changes(user: User, table: Table, ids: list[int]) -> None:
    delete_rows(user=user, table_id=table.pk, row_ids=ids, origin=API)
    change = Change.objects.get(table=table, version=get_table(user, table.pk).version)
    undo_change(user=user, table_id=table.pk, change_id=change.pk)


def add_many(user: User, table: Table, ids: list[int]) -> None:
    rows = [{"Company": "Dune"}] * MAX_RECHECKED_ROWS
    add_rows(user=user, table_id=table.pk, rows=[*rows, {"Company": "Ergo", "Salary": 50}], origin=API)


MEANWHILE: dict[str, tuple[Meanwhile, list[str]]] = {
    "nothing": (lambda user, table, ids: None, ["Crux"]),
    "a row begins to match": (lambda user, table, ids: changed(user, table, ids[0], Salary=20), ["Acme", "Crux"]),
    "a row no longer matches": (lambda user, table, ids: changed(user, table, ids[2], Salary=19), []),
    "a matching row is changed": (lambda user, table, ids: changed(user, table, ids[2], Company="Core"), ["Core"]),
    "a matching row is added": (
        lambda user, table, ids: add_rows(
            user=user, table_id=table.pk, rows=[{"Company": "Dune", "Salary": 20}], origin=API
        ), ["Crux", "Dune"],
    ),
    "the matching row is deleted": (
        lambda user, table, ids: delete_rows(user=user, table_id=table.pk, row_ids=[ids[2]], origin=API), [],
    ),
    "rows are deleted and come back": (undo_changes, ["Crux"]),
    "more rows change than are evaluated under the lock": (add_many, ["Crux", "Ergo"]),
}  # fmt: skip


@pytest.mark.parametrize(("meanwhile", "expected"), MEANWHILE.values(), ids=MEANWHILE.keys())
def test_conditions_apply_to_rows_that_match_under_the_lock(
    user: User, jobs: Table, meanwhile: Meanwhile, expected: list[str]
) -> None:
    ids = [row.id for row in read_rows(jobs)]
    read = read_unlocked(user=user, table_id=jobs.pk, proposal=MARK_WELL_PAID)
    meanwhile(user, jobs, ids)

    applied = change_rows(user=user, table_id=jobs.pk, proposal=MARK_WELL_PAID, origin=API, read=read)

    company, note = (table_shape(jobs).columns[place].id for place in (0, 3))
    rows = read_rows(get_table(user, jobs.pk), limit=10_000)
    assert [row.data[company] for row in rows if row.data.get(note) == "seen"] == expected
    positions = {row.id: number for number, row in enumerate(rows)}
    assert [entry["row_id"] for entry in applied.applied] == sorted(
        (row.id for row in rows if row.data.get(note) == "seen"), key=positions.__getitem__
    )


def test_a_proposal_is_read_again_when_columns_have_changed(user: User, jobs: Table) -> None:
    by_name = {"action": "delete", "where": {"column": "Note", "op": "eq", "value": "soon"}}
    read = read_unlocked(user=user, table_id=jobs.pk, proposal={"operations": [by_name]})
    swap = [
        {"action": "modify", "column_id": "Note", "changes": {"name": "Company"}},
        {"action": "modify", "column_id": "Company", "changes": {"name": "Note"}},
    ]
    change_columns(
        user=user, table_id=jobs.pk, proposal={"mode": "update", "operations": swap}, choice=Choice(), origin=API
    )

    applied = change_rows(user=user, table_id=jobs.pk, proposal={"operations": [by_name]}, origin=API, read=read)

    assert (applied.applied, [warning["code"] for warning in applied.warnings]) == ([], ["no_match"])


def conditions_of(count: int) -> list[Json]:
    return [{"column": "Company", "op": "contains", "value": text} for text in ("c", *map(str, range(count - 1)))]


def searches_text(statements: list[str]) -> list[bool]:
    """Return for each statement whether it searches in text."""
    return ["instr(" in statement or "strpos(" in statement for statement in statements]


@pytest.mark.parametrize("count", [1, 40])
@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "a-key"}], ids=["without a key", "with a key"])
@pytest.mark.parametrize("query", ["", "?dry_run=true"], ids=["applied", "previewed"])
def test_no_condition_is_evaluated_in_a_transaction(
    api: Api, jobs: Table, count: int, key: dict[str, str], query: str
) -> None:
    operations = [{"action": "update", "where": each, "changes": {"Note": "seen"}} for each in conditions_of(count)]
    with CaptureQueriesContext(connection) as sent:
        answer = api.client.post(
            f"/api/tables/{jobs.pk}/proposals/data/{query}", {"operations": operations[::-1]},
            content_type="application/json", headers=key,
        )  # fmt: skip
    assert answer.status_code == 200, answer.json()
    statements = [each["sql"] for each in sent.captured_queries]
    begun = next((n for n, statement in enumerate(statements) if statement.startswith("SAVEPOINT")), len(statements))
    assert (sum(searches_text(statements[:begun])), sum(searches_text(statements[begun:]))) == (1, 0)


def test_filters_in_one_scan_match_like_single_ones(jobs: Table, user: User) -> None:
    rows = [{"Company": f"{n % 7} C{n}", "Salary": n % 5 or None, "Status": "Open"} for n in range(40)]
    add_rows(user=user, table_id=jobs.pk, rows=rows, origin=API)
    table = get_table(user, jobs.pk)
    raw: list[Any] = [
        *conditions_of(70),
        *({"column": "Company", "op": op, "value": "3 c3"} for op in ("eq", "ne", "starts_with", "not_contains")),
        *({"column": "Salary", "op": op, "value": 2} for op in ("eq", "ne", "lt", "gte")),
        *({"column": "Status", "op": op, "value": ["Open"]} for op in ("any_of", "none_of")),
        *({"column": name, "op": op} for name in ("Salary", "Note") for op in ("empty", "not_empty")),
        {"column": "Salary", "op": "between", "value": [2, 3]},
        [{"or": conditions_of(20)}, WELL_PAID],
        {"and": [{"or": conditions_of(10)}, {"column": "Company", "op": "not_contains", "value": "2"}]},
    ]
    shape = table_shape(table)
    filters = [parse_filter(each, shape=shape, today=table.created_at.date()) for each in raw]

    with CaptureQueriesContext(connection) as sent:
        found = positions_of_matches(table, filters, limit=1_000)

    def matches_of(parsed: Filter) -> list[tuple[int, int]]:
        return [(row.position, row.id) for row in read_rows(table, filter=parsed, limit=1_000)]

    assert found == {parsed: matches_of(parsed) for parsed in filters}
    assert match_counts(table, filters) == {each: len(rows) for each, rows in found.items()}
    assert len(sent) == 1


def set_row_count(table: Table, *, rows: int) -> None:
    """Store this row count, from which the cost of conditions is estimated."""
    version = Table.objects.get(pk=table.pk).version
    Table.objects.filter(pk=table.pk).update(counted_rows=rows, counted_version=version)


def proposal_of(conditions: list[Json], *, operations: int) -> Json:
    where = [[*conditions[1:], {**conditions[0], "value": f"first {number}"}] for number in range(operations)]
    return {"operations": [{"action": "delete", "where": {"or": each}} for each in where]}


@pytest.mark.sqlite_only
@pytest.mark.parametrize(("operations", "path"), [(200, "operations"), (1, "operations[0].where")])
@pytest.mark.parametrize("query", ["", "?dry_run=true"], ids=["applied", "previewed"])
def test_too_expensive_conditions_are_refused_before_evaluation(
    api: Api, jobs: Table, operations: int, path: str, query: str
) -> None:
    set_row_count(jobs, rows=45_000 if operations > 1 else 1_000_000)
    body = proposal_of(conditions_of(50), operations=operations)
    with CaptureQueriesContext(connection) as sent:
        answer = api.post(f"/api/tables/{jobs.pk}/proposals/data/{query}", body)
    (fault,) = answer.json()["errors"]
    assert (answer.status_code, fault["code"], fault["path"]) == (422, "too_costly", path)
    assert not any(searches_text([each["sql"] for each in sent.captured_queries]))


READ_ENDPOINTS = ("rows/", "stats/", "choices/")


@pytest.mark.sqlite_only
@pytest.mark.parametrize("endpoint", READ_ENDPOINTS)
def test_too_expensive_filters_are_refused_by_read_endpoints(api: Api, jobs: Table, endpoint: str) -> None:
    set_row_count(jobs, rows=1_000_000)
    answer = api.get(f"/api/tables/{jobs.pk}/{endpoint}", filter=json.dumps({"or": conditions_of(50)}))
    (fault,) = answer.json()["errors"]
    assert (answer.status_code, fault["code"], fault["path"]) == (422, "too_costly", "filter")


@pytest.mark.sqlite_only
@pytest.mark.parametrize("endpoint", READ_ENDPOINTS)
def test_fifty_conditions_on_a_hundred_thousand_rows_are_accepted(api: Api, jobs: Table, endpoint: str) -> None:
    set_row_count(jobs, rows=100_000)
    answer = api.get(f"/api/tables/{jobs.pk}/{endpoint}", filter=json.dumps({"or": conditions_of(50)}))
    assert answer.status_code == 200


MANY_WORDS = " ".join(f"w{number}" for number in range(50))


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("endpoint", "view"),
    [
        *((endpoint, {"search": MANY_WORDS}) for endpoint in READ_ENDPOINTS),
        ("rows/find/", {"find": MANY_WORDS}),
        ("rows/", {"search": "w1 w2 w3", "filter": json.dumps({"or": conditions_of(19)})}),
    ],
)
def test_too_expensive_searches_are_refused_by_read_endpoints(
    api: Api, jobs: Table, endpoint: str, view: dict[str, str]
) -> None:
    set_row_count(jobs, rows=1_000_000)
    answer = api.get(f"/api/tables/{jobs.pk}/{endpoint}", **view)
    (fault,) = answer.json()["errors"]
    assert (answer.status_code, fault["code"], fault["path"]) == (422, "too_costly", "search")


@pytest.mark.sqlite_only
def test_a_search_costs_more_in_a_table_of_many_columns(api: Api, jobs: Table, user: User) -> None:
    set_row_count(jobs, rows=500_000)
    url = f"/api/tables/{jobs.pk}/rows/"
    assert api.get(url, search=MANY_WORDS[:120]).status_code == 200
    add = [{"action": "add", "column": {"name": f"Text {number}", "type": "text"}} for number in range(40)]
    change_columns(
        user=user, table_id=jobs.pk, proposal={"mode": "update", "operations": add}, choice=Choice(), origin=API
    )
    set_row_count(jobs, rows=500_000)
    assert api.get(url, search=MANY_WORDS[:120]).status_code == 422


@pytest.mark.sqlite_only
@pytest.mark.parametrize("is_filtered", [True, False], ids=["filter", "search"])
def test_too_expensive_exports_are_refused(jobs: Table, user: User, is_filtered: bool) -> None:
    set_row_count(jobs, rows=1_000_000)
    table, shape = get_table(user, jobs.pk), table_shape(jobs)
    costly = parse_filter({"or": conditions_of(50)}, shape=shape, today=table.created_at.date())
    view: Any = {"filter": costly} if is_filtered else {"search": MANY_WORDS}
    with pytest.raises(Invalid) as refused:
        next(stream_rows(table, shape=shape, columns=shape.columns, **view))
    assert refused.value.code == "too_costly"


@pytest.mark.sqlite_only
def test_pages_show_all_rows_when_the_filter_is_too_expensive(api: Api, jobs: Table) -> None:
    set_row_count(jobs, rows=1_000_000)
    page = api.get(f"/tables/{jobs.pk}/", filter=json.dumps({"or": conditions_of(50)}))
    assert (page.status_code, len(page.context["rows"]), page.context["view"].filter) == (200, 3, None)
    assert page.context["view"].problem


@pytest.mark.sqlite_only
def test_pages_show_all_rows_when_the_search_is_too_expensive(api: Api, jobs: Table) -> None:
    set_row_count(jobs, rows=1_000_000)
    page = api.get(f"/tables/{jobs.pk}/", search=MANY_WORDS)
    assert (page.status_code, len(page.context["rows"]), page.context["view"].search) == (200, 3, "")
    assert page.context["view"].problem


@pytest.mark.sqlite_only
def test_equal_conditions_are_estimated_and_evaluated_once(api: Api, jobs: Table) -> None:
    set_row_count(jobs, rows=1_000_000)
    operations = [{"action": "add", "data": {"Company": "Dune"}}] + [
        {"action": "update", "where": WELL_PAID, "changes": {name: None}} for name in ("Note", "Status")
    ] * 50
    answer = api.post(f"/api/tables/{jobs.pk}/proposals/data/?dry_run=true", {"operations": operations})
    assert answer.status_code == 200
