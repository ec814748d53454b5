"""Reading through the API: response formats, parameters, access and query counts."""
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
PATHS = ["", "columns/", "rows/", "rows/{row}/", "stats/", "aggregate/", "changes/"]


@pytest.fixture
def table(user: User) -> Table:
    return write_table(user, COLUMNS, ROWS)


def url_of(table: Table, path: str = "") -> str:
    return f"/api/tables/{table.pk}/{path.format(row=read_rows(table)[0].id)}"


def companies(response: Any) -> list[str]:
    return [row["data"]["Company"] for row in response.json()["rows"]]


def test_the_list_of_tables_has_columns_and_row_counts(api: Any, table: Table) -> None:
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


def test_rows_requested_by_id_are_filtered(api: Any, table: Table) -> None:
    ids = [row.id for row in read_rows(table)]
    named = ",".join(str(each) for each in reversed(ids))
    done = {"column": "Status", "op": "any_of", "value": ["Done"]}
    found = api.get(url_of(table, "rows/"), ids=named)
    assert (companies(found), found.json()["next"]) == (["Cato", "Bolt", "Acme"], None)
    assert companies(api.get(url_of(table, "rows/"), ids=named, search="a")) == ["Cato", "Acme"]
    assert companies(api.get(url_of(table, "rows/"), ids=named, filter=json.dumps(done))) == ["Bolt"]
    assert companies(api.get(url_of(table, "rows/"), ids=ids[0], filter=json.dumps(done))) == []


def test_a_table_has_its_version_as_etag(api: Any, table: Table) -> None:
    response = api.get(url_of(table))
    assert (response.json()["row_count"], response.json()["version"], response["ETag"]) == (3, 0, '"0"')


def test_columns_are_listed_in_order(api: Any, table: Table) -> None:
    columns = api.get(url_of(table, "columns/")).json()["columns"]
    assert [column["id"] for column in columns] == [column.id for column in table_shape(table).columns]
    assert (columns[3]["options"], columns[3]["filterDisplay"]) == (["Open", "Done"], "dropdown")


def test_rows_have_column_names_and_no_empty_cells(api: Any, table: Table) -> None:
    body = api.get(url_of(table, "rows/")).json()
    assert [row["data"] for row in body["rows"]] == ROWS
    assert (body["count"], body["next"], body["rows"][0]["version"]) == ({"value": 3, "exact": True}, None, 1)


def test_rows_have_column_ids_on_request(api: Any, table: Table) -> None:
    company = table_shape(table).columns[0].id
    assert api.get(url_of(table, "rows/"), keys="id").json()["rows"][2]["data"] == {company: "Cato"}


def test_rows_are_filtered_sorted_searched(api: Any, table: Table) -> None:
    rows = url_of(table, "rows/")
    condition = json.dumps({"column": "Status", "op": "none_of", "value": ["Open"]})
    assert companies(api.get(rows, filter=condition)) == ["Bolt", "Cato"]
    assert companies(api.get(rows, sort="-Amount,Company")) == ["Bolt", "Acme", "Cato"]
    assert companies(api.get(rows, search="cAt")) == ["Cato"]


def test_relative_days_use_the_time_zone_of_the_request(api: Any, table: Table) -> None:
    condition = json.dumps({"column": "Due, at last", "op": "today"})
    response = api.get(url_of(table, "rows/"), filter=condition, tz="Pacific/Kiritimati")
    assert (response.status_code, response.json()["count"]["value"]) == (200, 0)


def test_only_requested_columns_are_returned(api: Any, table: Table) -> None:
    rows = api.get(url_of(table, "rows/"), columns="Due, at last,amount").json()["rows"]
    assert rows[0]["data"] == {"Due, at last": "2024-01-01", "Amount": 5}


def test_pages_of_rows_are_linked(api: Any, table: Table) -> None:
    seen, where = [], f"{url_of(table, 'rows/')}?limit=1&sort=-Company&search=o"
    while where:
        response = api.get(where)
        seen += companies(response)
        where = response.json()["next"]
    assert seen == ["Cato", "Bolt", "Acme"]


def test_a_row_has_its_version_as_etag(api: Any, table: Table) -> None:
    response = api.get(url_of(table, "rows/{row}/"))
    assert (response.json()["data"], response["ETag"]) == (ROWS[0], '"1"')


def test_statistics_by_column_name_for_a_filter(api: Any, table: Table) -> None:
    condition = json.dumps([{"column": "Amount", "op": "not_empty"}])
    body = api.get(url_of(table, "stats/"), filter=condition).json()
    assert body["row_count"] == 2
    assert body["columns"]["Amount"] == {"empty": 0, "min": 5, "max": 10.5}
    assert body["columns"]["Status"] == {"empty": 0, "counts": {"Open": 1, "Done": 1}}


def test_groups_of_a_filter_are_sorted_and_paged(api: Any, table: Table) -> None:
    groups, measures = [{"column": "Status"}], [{"function": "sum", "column": "Amount"}, {"function": "count"}]
    query = {"group_by": json.dumps(groups), "measures": json.dumps(measures), "order": "largest"}
    others = '{"column": "Company", "op": "ne", "value": "Acme"}'
    body = api.get(url_of(table, "aggregate/"), limit="1", filter=others, **query).json()
    assert body["groups"] == [{"group": {"Status": "Done"}, "rows": 1, "values": {"sum": {"Amount": 10.5}}}]
    assert (body["count"], body["row_count"]) == (2, 2)
    (last,) = api.client.get(body["next"]).json()["groups"]
    assert last == {"group": {"Status": None}, "rows": 1, "values": {"sum": {"Amount": None}}}


def test_groups_have_column_ids_on_request(api: Any, table: Table) -> None:
    amount = table_shape(table).column("Amount")
    assert amount is not None
    measures = json.dumps([{"function": "median", "column": "Amount"}])
    (whole,) = api.get(url_of(table, "aggregate/"), measures=measures, keys="id").json()["groups"]
    assert whole == {"group": {}, "rows": 3, "values": {"median": {amount.id: 7.75}}}


def test_faults_of_all_parameters_of_groups_are_reported_together(api: Any, table: Table) -> None:
    response = api.get(
        url_of(table, "aggregate/"), order="biggest", filter='{"column": "Amuont", "op": "empty"}',
        group_by='[{"column": "Stats"}]', measures='[{"function": "sum"}, {"function": "sum", "column": "Company"}]',
    )  # fmt: skip
    assert response.status_code == 400
    assert [(fault["path"], fault["code"]) for fault in response.json()["errors"]] == [
        ("filter.column", "unknown_column"), ("group_by[0].column", "unknown_column"),
        ("measures[0].column", "missing"), ("measures[1].function", "not_computable"), ("order", "unknown_value"),
    ]  # fmt: skip


def test_the_history_has_actors_and_undoable_changes(api: Any, table: Table, user: User) -> None:
    change = Change.objects.create(table=table, version=1, actor=user, source="form", summary="Added 1 row")
    ChangePiece.objects.create(table_id=change.table_id, change=change, index=0)
    undo = Change.objects.create(table=table, version=2, actor=user, source="undo", summary="Undid", undo_of=change)
    body = api.get(url_of(table, "changes/")).json()
    changes = [(c["id"], c["actor"], c["undo_of"], c["undone_by"], c["undoable"]) for c in body["changes"]]
    assert changes == [(undo.pk, "ada", change.pk, None, False), (change.pk, "ada", None, undo.pk, False)]
    Change.objects.create(table=table, version=3, source="undo", summary="Redid", undo_of=undo, is_redo=True)
    undoable = [change["undoable"] for change in api.get(url_of(table, "changes/")).json()["changes"]]
    assert undoable == [False, False, True]


def test_the_history_is_paged_in_both_directions(api: Any, table: Table) -> None:
    for version in range(1, 6):
        Change.objects.create(table=table, version=version, source="api", summary=f"Change {version}")
    Table.objects.filter(pk=table.pk).update(version=5)
    first = api.get(url_of(table, "changes/"), limit=2, after_version=1).json()
    second = api.get(first["next"]).json()
    assert [change["version"] for change in first["changes"] + second["changes"]] == [5, 4, 3, 2]
    assert second["next"] is None


def test_inaccessible_and_missing_tables_get_the_same_404(other_api: Any, table: Table) -> None:
    for path in PATHS:
        theirs, none = other_api.get(url_of(table, path)), other_api.get("/api/tables/999999/" + path.format(row=1))
        answers = [{**response.json(), "request_id": ""} for response in (theirs, none)]
        assert (theirs.status_code, none.status_code, answers[0]) == (404, 404, answers[1]), path


def test_anonymous_requests_are_401(anonymous_api: Any) -> None:
    for path in ["", "1/", *[f"1/{path.format(row=1)}" for path in PATHS[1:]]]:
        assert anonymous_api.get(f"/api/tables/{path}").status_code in (401, 403), path


def test_invalid_row_ids_are_404(api: Any, table: Table) -> None:
    for row in ("0", "9223372036854775808", "999999999999999999999999", "-1", "abc"):
        assert api.get(url_of(table, "rows/") + f"{row}/").status_code == 404, row


INVALID_QUERIES: list[tuple[dict[str, Any], int, str, str]] = [
    ({"serch": "x"}, 400, "serch", "search"),
    ({"limit": "1001"}, 400, "limit", "1000"),
    ({"limit": "0"}, 400, "limit", "1"),
    ({"limit": "١"}, 400, "limit", "whole"),
    ({"limit": ""}, 400, "limit", "whole"),
    ({"offset": ""}, 400, "offset", "whole"),
    ({"offset": "-1"}, 400, "offset", "from 0"),
    ({"offset": "1" * 5_000}, 400, "offset", "from 0"),
    ({"keys": "nam"}, 400, "keys", "name"),
    ({"tz": "../etc/passwd"}, 400, "tz", "time zone"),
    ({"tz": "Europe/Berlinn"}, 400, "tz", "Europe/Berlin"),
    ({"filter": "{"}, 400, "filter", "JSON"),
    ({"filter": '{"a":NaN}'}, 400, "filter", "JSON"),
    ({"filter": "[" * 100 + "]" * 100}, 400, "filter", "deep"),
    ({"filter": '{"column":"Compny","op":"empty"}'}, 422, "filter.column", "Company"),
    ({"filter": '[{"column":"Amount","op":"eq","value":"1,5"}]'}, 422, "filter[0].value", "1.5 with a point"),
    ({"filter": '[{"column":"Amount","op":"eq","value":1e400}]'}, 400, "filter", "finite"),
    ({"filter": '[{"column":"Company","op":"eq","value":"\\u0000"}]'}, 400, "filter", "NUL"),
    ({"sort": "-Compny"}, 422, "sort", "Company"),
    ({"sort": "Company,-company"}, 422, "sort", "once"),
    ({"columns": "Compny"}, 422, "columns", "Company"),
    ({"columns": "Company,company"}, 422, "columns", "once"),
    ({"search": "a\x00"}, 400, "search", "NUL"),
    ({"search": ["a", "b"]}, 400, "search", "once"),
]


def test_invalid_parameters_are_refused_with_path_and_help(api: Any, table: Table) -> None:
    for query, status, path, text in INVALID_QUERIES:
        response = api.get(url_of(table, "rows/"), **query)
        body = response.json()
        assert (response.status_code, body["errors"][0]["path"]) == (status, path), query
        assert text in body["errors"][0]["detail"], query


def test_all_faults_of_a_query_are_listed(api: Any, table: Table) -> None:
    query = {"filter": '{"column":"Compny","op":"empty"}', "sort": "-Dat", "columns": "Amont", "keys": "ids"}
    response = api.get(url_of(table, "rows/"), **query)
    assert response.status_code == 400
    assert [fault["path"] for fault in response.json()["errors"]] == ["filter.column", "sort", "columns", "keys"]


@pytest.mark.parametrize(("version", "status"), [("9" * 18, 200), ("1" + "0" * 18, 400)], ids=["the most", "one more"])
def test_the_maximum_version_is_accepted(version: str, status: int, api: Any, table: Table) -> None:
    response = api.get(url_of(table, "changes/"), before_version=version)
    assert response.status_code == status
    assert status == 200 or "from 0 to 999999999999999999." in response.json()["detail"]


@pytest.mark.parametrize("name", ["after_version", "before_version"])
def test_history_versions_must_be_numbers(name: str, api: Any, table: Table) -> None:
    response = api.get(url_of(table, "changes/"), **{name: ""})
    assert (response.status_code, response.json()["errors"][0]["path"]) == (400, name)


def test_unknown_parameters_are_refused_everywhere(api: Any, table: Table) -> None:
    for path in ("/api/tables/", *(url_of(table, each) for each in ("", "columns/", "rows/1/", "stats/", "changes/"))):
        assert api.get(path, format="csv").status_code == 400, path


@pytest.mark.parametrize("path", PATHS)
def test_queries_do_not_grow_with_the_table(
    path: str, api: Any, table: Table, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    write_rows(table, ROWS * 100)
    where = url_of(table, path)
    with django_assert_max_num_queries(9):
        api.get(where)


def test_queries_do_not_grow_with_the_number_of_tables(
    api: Any, user: User, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    for number in range(30):
        write_table(user, COLUMNS, ROWS, name=f"Table {number}")
    with django_assert_max_num_queries(7):
        assert len(api.get("/api/tables/").json()["tables"]) == 30
