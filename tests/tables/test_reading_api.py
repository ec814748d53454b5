"""The reading half of the API: forms of answers, parameters, whose tables, numbers of statements."""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.models import Change, ChangePiece, Table
from tables.selectors import read_rows, table_shape
from tests.tables.sample_tables import write_rows, write_table

COLUMNS: list[Any] = [
    ("Company", "text"), ("Amount", "number"), ("Due, at last", "date"), ("Status", "select", ["Open", "Done"]),
]  # fmt: skip
ROWS: list[dict[str, Any]] = [
    {"Company": "Acme", "Amount": 5, "Due, at last": "2024-01-01", "Status": "Open"},
    {"Company": "Bolt", "Amount": 10.5, "Status": "Done"},
    {"Company": "Cato"},
]
ADDRESSES = ["", "columns/", "rows/", "rows/{row}/", "stats/", "changes/"]


@pytest.fixture
def table(user: User) -> Table:
    return write_table(user, COLUMNS, ROWS)


def address(table: Table, below: str = "") -> str:
    return f"/api/tables/{table.pk}/{below.format(row=read_rows(table)[0].id)}"


def companies(answer: Any) -> list[str]:
    return [row["data"]["Company"] for row in answer.json()["rows"]]


def test_the_list_of_tables_tells_columns_and_rows(api: Any, table: Table) -> None:
    body = api.get("/api/tables/").json()
    assert (body["count"], body["next"]) == (1, None)
    listed = body["tables"][0]
    assert (listed["id"], listed["name"], listed["row_count"]) == (table.pk, "Jobs", 3)
    assert [column["name"] for column in listed["columns"]] == [column[0] for column in COLUMNS]


def test_the_list_of_tables_is_searched_ordered_and_paged(api: Any, user: User) -> None:
    for name in ("B jobs", "A jobs", "Expenses"):
        write_table(user, [], [], name=name)
    first = api.get("/api/tables/", search="JOBS", ordering="name", limit=1).json()
    assert ([table["name"] for table in first["tables"]], first["count"]) == (["A jobs"], 2)
    second = api.get(first["next"]).json()
    assert ([table["name"] for table in second["tables"]], second["next"]) == (["B jobs"], None)


def test_rows_that_are_asked_for_by_their_ids_are_given_as_far_as_they_pass(api: Any, table: Table) -> None:
    ids = [row.id for row in read_rows(table)]
    named = ",".join(str(each) for each in reversed(ids))
    done = {"column": "Status", "op": "any_of", "value": ["Done"]}
    assert companies(api.get(address(table, "rows/"), ids=named)) == ["Cato", "Bolt", "Acme"]
    assert companies(api.get(address(table, "rows/"), ids=named, search="a")) == ["Cato", "Acme"]
    assert companies(api.get(address(table, "rows/"), ids=named, filter=json.dumps(done))) == ["Bolt"]
    assert companies(api.get(address(table, "rows/"), ids=ids[0], filter=json.dumps(done))) == []


def test_a_table_is_told_with_its_version_as_etag(api: Any, table: Table) -> None:
    answer = api.get(address(table))
    assert (answer.json()["row_count"], answer.json()["version"], answer["ETag"]) == (3, 0, '"0"')


def test_columns_are_told_in_their_order(api: Any, table: Table) -> None:
    columns = api.get(address(table, "columns/")).json()["columns"]
    assert [column["id"] for column in columns] == [column.id for column in table_shape(table).columns]
    assert (columns[3]["options"], columns[3]["filterDisplay"]) == (["Open", "Done"], "dropdown")


def test_rows_are_told_by_column_name_without_empty_cells(api: Any, table: Table) -> None:
    body = api.get(address(table, "rows/")).json()
    assert [row["data"] for row in body["rows"]] == ROWS
    assert (body["count"], body["next"], body["rows"][0]["version"]) == (3, None, 1)


def test_rows_are_told_by_column_id_when_asked(api: Any, table: Table) -> None:
    company = table_shape(table).columns[0].id
    assert api.get(address(table, "rows/"), keys="id").json()["rows"][2]["data"] == {company: "Cato"}


def test_rows_are_filtered_sorted_searched(api: Any, table: Table) -> None:
    rows = address(table, "rows/")
    wanted = json.dumps({"column": "Status", "op": "none_of", "value": ["Open"]})
    assert companies(api.get(rows, filter=wanted)) == ["Bolt", "Cato"]
    assert companies(api.get(rows, sort="-Amount,Company")) == ["Bolt", "Acme", "Cato"]
    assert companies(api.get(rows, search="cAt")) == ["Cato"]


def test_relative_days_are_those_of_the_time_zone(api: Any, table: Table) -> None:
    wanted = json.dumps({"column": "Due, at last", "op": "today"})
    answer = api.get(address(table, "rows/"), filter=wanted, tz="Pacific/Kiritimati")
    assert (answer.status_code, answer.json()["count"]) == (200, 0)


def test_only_the_columns_asked_for_are_told(api: Any, table: Table) -> None:
    rows = api.get(address(table, "rows/"), columns="Due, at last,amount").json()["rows"]
    assert rows[0]["data"] == {"Due, at last": "2024-01-01", "Amount": 5}


def test_pages_of_rows_follow_each_other(api: Any, table: Table) -> None:
    seen, where = [], f"{address(table, 'rows/')}?limit=1&sort=-Company&search=o"
    while where:
        answer = api.get(where)
        seen += companies(answer)
        where = answer.json()["next"]
    assert seen == ["Cato", "Bolt", "Acme"]


def test_one_row_is_told_with_its_version_as_etag(api: Any, table: Table) -> None:
    answer = api.get(address(table, "rows/{row}/"))
    assert (answer.json()["data"], answer["ETag"]) == (ROWS[0], '"1"')


def test_statistics_are_told_by_name_for_a_filter(api: Any, table: Table) -> None:
    wanted = json.dumps([{"column": "Amount", "op": "not_empty"}])
    body = api.get(address(table, "stats/"), filter=wanted).json()
    assert body["row_count"] == 2
    assert body["columns"]["Amount"] == {"empty": 0, "min": 5, "max": 10.5}
    assert body["columns"]["Status"] == {"empty": 0, "counts": {"Open": 1, "Done": 1}}


def test_the_history_tells_who_what_when_and_what_can_be_undone(api: Any, table: Table, user: User) -> None:
    change = Change.objects.create(table=table, version=1, actor=user, source="form", summary="Added 1 row")
    ChangePiece.objects.create(change=change, index=0)
    undo = Change.objects.create(table=table, version=2, actor=user, source="undo", summary="Undid", undo_of=change)
    body = api.get(address(table, "changes/")).json()
    told = [(c["id"], c["actor"], c["undo_of"], c["undone_by"], c["undoable"]) for c in body["changes"]]
    assert told == [(undo.pk, "ada", change.pk, None, False), (change.pk, "ada", None, undo.pk, False)]


def test_the_history_is_paged_and_caught_up_with(api: Any, table: Table) -> None:
    for version in range(1, 6):
        Change.objects.create(table=table, version=version, source="api", summary=f"Change {version}")
    first = api.get(address(table, "changes/"), limit=2, after_version=1).json()
    second = api.get(first["next"]).json()
    assert [change["version"] for change in first["changes"] + second["changes"]] == [5, 4, 3, 2]
    assert second["next"] is None


@pytest.mark.parametrize("below", ADDRESSES)
def test_somebody_elses_table_and_a_missing_one_are_the_same_404(below: str, other_api: Any, table: Table) -> None:
    theirs, none = other_api.get(address(table, below)), other_api.get("/api/tables/999999/" + below.format(row=1))
    answers = [{**answer.json(), "request_id": ""} for answer in (theirs, none)]
    assert (theirs.status_code, none.status_code, answers[0]) == (404, 404, answers[1])


@pytest.mark.parametrize("below", ["", "1/", *[f"1/{below.format(row=1)}" for below in ADDRESSES[1:]]])
def test_nobody_in_particular_is_asked_to_sign_in(below: str, anonymous_api: Any) -> None:
    assert anonymous_api.get(f"/api/tables/{below}").status_code in (401, 403)


@pytest.mark.parametrize("row", ["0", "9223372036854775808", "999999999999999999999999", "-1", "abc"])
def test_an_id_that_cannot_be_is_a_404(row: str, api: Any, table: Table) -> None:
    assert api.get(address(table, "rows/") + f"{row}/").status_code == 404


@pytest.mark.parametrize(
    ("query", "status", "path", "word"),
    [
        ({"serch": "x"}, 400, "serch", "search"),
        ({"limit": "1001"}, 400, "limit", "1000"),
        ({"limit": "0"}, 400, "limit", "1"),
        ({"limit": "١"}, 400, "limit", "whole"),
        ({"limit": ""}, 400, "limit", "whole"),
        ({"offset": ""}, 400, "offset", "whole"),
        ({"offset": "-1"}, 400, "offset", "whole"),
        ({"offset": "1" * 5_000}, 400, "offset", "characters"),
        ({"keys": "nam"}, 400, "keys", "name"),
        ({"tz": "../etc/passwd"}, 400, "tz", "time zone"),
        ({"tz": "Europe/Berlinn"}, 400, "tz", "Europe/Berlin"),
        ({"filter": "{"}, 400, "filter", "JSON"),
        ({"filter": '{"a":NaN}'}, 400, "filter", "JSON"),
        ({"filter": "[" * 100 + "]" * 100}, 400, "filter", "deep"),
        ({"filter": '{"column":"Compny","op":"empty"}'}, 422, "filter.column", "Company"),
        ({"filter": '[{"column":"Amount","op":"eq","value":"1,5"}]'}, 422, "filter[0].value", "number"),
        ({"filter": '[{"column":"Amount","op":"eq","value":1e400}]'}, 400, "filter", "finite"),
        ({"filter": '[{"column":"Company","op":"eq","value":"\\u0000"}]'}, 400, "filter", "NUL"),
        ({"sort": "-Compny"}, 422, "sort", "Company"),
        ({"sort": "Company,-company"}, 422, "sort", "once"),
        ({"columns": "Compny"}, 422, "columns", "Company"),
        ({"columns": "Company,company"}, 422, "columns", "once"),
        ({"search": "a\x00"}, 400, "search", "NUL"),
        ({"search": ["a", "b"]}, 400, "search", "once"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_path_and_help(
    query: dict[str, Any], status: int, path: str, word: str, api: Any, table: Table
) -> None:
    answer = api.get(address(table, "rows/"), **query)
    body = answer.json()
    assert (answer.status_code, body["errors"][0]["path"]) == (status, path)
    assert word in body["errors"][0]["detail"]


@pytest.mark.parametrize(("version", "status"), [("9" * 18, 200), ("1" + "0" * 18, 400)], ids=["the most", "one more"])
def test_a_version_may_be_as_large_as_is_said(version: str, status: int, api: Any, table: Table) -> None:
    answer = api.get(address(table, "changes/"), after_version=version)
    assert answer.status_code == status
    assert status == 200 or "between 0 and 999999999999999999." in answer.json()["detail"]


@pytest.mark.parametrize("name", ["after_version", "before_version"])
def test_no_number_is_no_version_to_read_history_from(name: str, api: Any, table: Table) -> None:
    answer = api.get(address(table, "changes/"), **{name: ""})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, name)


@pytest.mark.parametrize("below", ["", "1/", "1/columns/", "1/rows/1/", "1/stats/", "1/changes/"])
def test_unknown_parameters_are_refused_everywhere(below: str, api: Any) -> None:
    assert api.get(f"/api/tables/{below}", format="csv").status_code == 400


@pytest.mark.parametrize("below", ADDRESSES)
def test_the_number_of_statements_does_not_grow_with_the_table(
    below: str, api: Any, table: Table, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    write_rows(table, ROWS * 100)
    where = address(table, below)
    with django_assert_max_num_queries(9):
        api.get(where)


def test_the_number_of_statements_does_not_grow_with_the_tables(
    api: Any, user: User, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    for number in range(30):
        write_table(user, COLUMNS, ROWS, name=f"Table {number}")
    with django_assert_max_num_queries(7):
        assert len(api.get("/api/tables/").json()["tables"]) == 30
