"""Rules that all writes over REST share: the default of `typecast`, and all faults in one answer."""
from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from chatproject.openapi.document import document
from tests.conftest import Api

COLUMNS = [{"name": "Company", "type": "text", "required": True}, {"name": "Salary", "type": "number"}]
SALARY_AS_TEXT = {"Company": "Acme", "Salary": "1,200"}
# Per request with the parameter `typecast`: method, path, body.
TEXTS: list[tuple[str, str, Any]] = [
    ("post", "/api/tables/", {"name": "New", "columns": COLUMNS, "rows": [SALARY_AS_TEXT]}),
    ("post", "rows/", SALARY_AS_TEXT),
    ("put", "rows/", {"merge_on": ["Company"], "rows": [SALARY_AS_TEXT]}),
    ("patch", "rows/", {"rows": [{"id": None, "data": SALARY_AS_TEXT}]}),
    ("patch", "rows/{row_id}/", {"data": {"Salary": "1,200"}}),
    ("post", "proposals/data/", {"operations": [{"action": "add", "data": SALARY_AS_TEXT}]}),
    ("post", "/api/tables/proposals/schema/?include_sample_rows=true", {
        "mode": "create", "table_name": "New", "table_description": "", "sample_rows": [SALARY_AS_TEXT],
        "operations": [{"action": "add", "column": column} for column in COLUMNS]}),
]  # fmt: skip


@pytest.fixture
def table(api: Api) -> str:
    rows = [{"Company": "Acme", "Salary": 1}, {"Company": "Bolt"}]
    return f"/api/tables/{api.post('/api/tables/', {'name': 'Jobs', 'columns': COLUMNS, 'rows': rows}).json()['id']}/"


@pytest.mark.parametrize(("method", "path", "body"), TEXTS, ids=[f"{method} {path}" for method, path, _ in TEXTS])
def test_the_documented_default_of_typecast_is_applied(
    api: Api, table: str, method: str, path: str, body: Any
) -> None:
    described = (path if path.startswith("/") else f"/api/tables/{{table_id}}/{path}").partition("?")[0]
    parameters = {each["name"]: each["schema"] for each in document()["paths"][described][method]["parameters"]}
    first = api.get(f"{table}rows/").json()["rows"][0]["id"]
    url = path if path.startswith("/") else table + path.format(row_id=first)
    response = api.client.generic(method.upper(), url, json.dumps(body), "application/json")
    assert (response.status_code < 300) is parameters["typecast"]["default"]


@pytest.mark.parametrize("default", [1200, "1,200"])
def test_the_default_of_a_column_is_always_converted(api: Api, table: str, default: Any) -> None:
    answer = api.post(f"{table}columns/", {"name": "Bonus", "type": "number", "default": default})
    assert answer.json()["default"] == 1200


def test_an_answer_names_everything_that_is_wrong(api: Api, table: str) -> None:
    first, second = (row["id"] for row in api.get(f"{table}rows/").json()["rows"])
    sent = [
        {"id": first, "data": {"Compny": "x", "Salary": "much"}},
        {"id": first, "data": {"Company": " "}},
        {"id": 10**9, "data": {"Salary": 1}},
        {"id": second, "data": {"Salary": 5}, "expected": {"Salary": -1}},
    ]
    refused = api.patch(f"{table}rows/", {"rows": sent})
    assert (refused.status_code, refused.json()["error"]) == (422, "invalid")
    assert [(fault["path"], fault["code"]) for fault in refused.json()["errors"]] == [
        ("rows[0].data.Compny", "unknown_column"),
        ("rows[0].data.Salary", "not_a_number"),
        ("rows[1].data.Company", "required"),
        ("rows[2].id", "unknown_row"),
        ("rows[3].data.Salary", "cell_changed"),
    ]


DOUBLED = [*COLUMNS, {"name": "company", "type": "text"}]
ROWS = [{"Company": "Acme", "Salary": "much"}, {"Compny": "x"}]
STALE = {"id": "FIRST", "version": 9}
MANY = [{"Company": "Acme", "Salary": 2}, {"version": 9, "data": {"Company": "Bolt"}}]
# Method, path, body and the paths of faults; FIRST is the id of the first row.
BESIDE_OTHER_FAULTS: list[tuple[str, str, Any, list[str]]] = [
    ("post", "/api/tables/", {"nam": "x", "columns": DOUBLED, "rows": ROWS}, ["nam", "name", "columns[2].name"]),
    ("post", "/api/tables/", {"name": "x", "columns": COLUMNS, "row": [], "rows": ROWS},
        ["row", "rows[0].Salary", "rows[1].Compny", "rows[1].Company"]),
    ("post", "/api/tables/", {"name": " ", "column": DOUBLED, "rows": {}}, ["column", "columns", "rows", "name"]),
    ("post", "rows/", {"row": [], "rows": ROWS}, ["row", "rows[0].Salary", "rows[1].Compny", "rows[1].Company"]),
    ("post", "rows/", {"row": [], "rows": []}, ["row", "rows"]),
    ("patch", "rows/", {"new_colums": ["Compny"], "rows": [{"id": None, "data": row} for row in ROWS]},
        ["new_colums", "rows[0].data.Salary", "rows[1].data.Company"]),
    ("patch", "rows/", {"row": [], "rows": [{"id": "FIRST", "data": {"Salary": 1}, "expected": {"Compny": "x"}}]},
        ["row", "rows[0].expected.Compny"]),
    ("patch", "rows/", {"rows": [{"id": None, "data": ROWS[0], "versin": 1}, {"id": 10**9, "data": {"Salary": 1}}]},
        ["rows[0].versin", "rows[0].data.Salary", "rows[1].id"]),
    ("patch", "rows/", {"rows": [5, {"id": "FIRST", "data": {"Salary": "much"}}, {"id": 10**9, "data": {"Salary": 1}}]},
        ["rows[0]", "rows[1].data.Salary", "rows[2].id"]),
    ("patch", "rows/FIRST/", {"data": {"Salary": "much"}, "expect": {}}, ["expect", "data.Salary"]),
    ("put", "rows/", {"merg_on": ["Company"], "rows": ROWS},
        ["merg_on", "merge_on", "rows[0].Salary", "rows[1].Compny"]),
    ("put", "rows/", {"merge_on": ["Company"], "rows": [5, MANY[1], {"Salary": 1}]},
        ["rows[0]", "rows[1].version", "rows[2].Company"]),
    ("post", "rows/delete/", {"id": 1, "ids": ["FIRST", 10**9, "1"]}, ["id", "ids[1]", "ids[2]"]),
    ("post", "rows/delete/", {"rows": [{**STALE, "expectd": {}}, 5]},
        ["rows[0].expectd", "rows[1]", "rows[0].version"]),
    ("post", "rows/move/", {"after": 1, "ids": ["FIRST", 10**9, "1"]}, ["after", "ids[2]", "after_row_id", "ids[1]"]),
    ("post", "rows/move/", {"rows": [{**STALE, "expected": {}}], "after_row_id": 10**9},
        ["rows[0].expected", "after_row_id", "rows[0].version"]),
    ("post", "proposals/data/", {"operation": [], "operations": [
        {"action": "update", "row_id": 10**9, "changes": {"Salary": 1}, "expectd": {}}, {"action": "add"},
        {"action": "delete", "row_id": "FIRST"}, {"action": "delete", "row_id": "FIRST", "reasn": "x"}]},
        ["operation", "operations[0].expectd", "operations[0].row_id", "operations[1].data", "operations[3].reasn",
         "operations[3]"]),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body", "faults"), BESIDE_OTHER_FAULTS)
def test_a_malformed_part_hides_no_other_fault_and_nothing_is_written(
    api: Api, table: str, method: str, path: str, body: Any, faults: list[str]
) -> None:
    before = (api.get("/api/tables/").json()["count"], api.get(table).json()["version"])
    first = str(api.get(f"{table}rows/").json()["rows"][0]["id"])
    url = (path if path.startswith("/") else table + path).replace("FIRST", first)
    sent = json.dumps(body).replace('"FIRST"', first)
    for query in ("", "?dry_run=true") if "proposals" in path else ("",):
        refused = api.client.generic(method.upper(), url + query, sent, "application/json")
        assert (refused.status_code, [fault["path"] for fault in refused.json()["errors"]]) == (400, faults)
    assert (api.get("/api/tables/").json()["count"], api.get(table).json()["version"]) == before


@pytest.mark.parametrize(
    ("merge_on", "rows", "faults"),
    [
        ("Firm", ROWS, ["merge_on[0]", "rows[0].Salary", "rows[1].Compny"]),
        ("Company", [*MANY, {"Company": "Bolt"}], ["rows[0]", "rows[1].version", "rows[2]"]),
        ("Company", [MANY[0], {"Company": "Crux", "Salary": "much"}], ["rows[0]", "rows[1].Salary"]),
    ],
    ids=["unknown key", "several matches, another version and the same key", "several matches and a value"],
)
def test_an_upsert_that_finds_no_rows_has_no_hidden_faults(
    api: Api, table: str, merge_on: str, rows: Any, faults: list[str]
) -> None:
    api.post(f"{table}rows/", {"Company": "Acme"})
    refused = api.client.put(f"{table}rows/", {"merge_on": [merge_on], "rows": rows}, content_type="application/json")
    status = 412 if any(path.endswith(".version") for path in faults) else 422
    assert (refused.status_code, [fault["path"] for fault in refused.json()["errors"]]) == (status, faults)


@pytest.mark.parametrize(("method", "path", "body"), [
    ("post", "rows/", {"row": [], "rows": ROWS}),
    ("put", "rows/", {"merge_on": ["Company"], "rows": [5, *ROWS]}),
    ("patch", "rows/", {"row": [], "rows": [{"id": 10**9, "data": {"Salary": 1}}]}),
    ("post", "rows/delete/", {"row": [], "ids": [10**9]}),
])  # fmt: skip
def test_a_refused_request_with_a_key_is_checked_once(
    api: Api, table: str, method: str, path: str, body: Any
) -> None:
    found = []
    for headers in ({}, {"Idempotency-Key": "k"}):
        with CaptureQueriesContext(connection) as queries:
            refused = api.client.generic(
                method.upper(), table + path, json.dumps(body), "application/json", headers=headers
            )
        read = [each["sql"] for each in queries if "tables_column" in each["sql"]]
        found.append((len(read), [fault["path"] for fault in refused.json()["errors"]]))
    assert found[0] == found[1]


ADDED_TWICE = [{"action": "add", "column": {"name": "Due", "type": "date"}}] * 2
BAD_DEFAULT = {"action": "modify", "column_id": "Salary", "changes": {"default": "much"}}


@pytest.mark.parametrize(
    ("invalid", "faults"),
    [
        (
            {"action": "modify", "column_id": "Compny", "changes": {"required": False}},
            ["operations[0].column_id", "operations[2].column.name", "operations[3].changes.default"],
        ),
        # It may have been meant to free the name.
        ({"action": "remove", "column_id": "Du"}, ["operations[0].column_id", "operations[3].changes.default"]),
        (
            {"action": "modify", "column_id": "Salary", "changes": {"type": "txt", "required": True}},
            ["operations[0].changes.type", "operations[2].column.name"],
        ),
        ({"action": "add", "colum": {}}, [
            "operations[0].colum", "operations[0].column", "operations[2].column.name", "operations[3].changes.default",
        ]),
    ],
    ids=["unknown column", "unknown column to remove", "type of the same column", "no column"],
)  # fmt: skip
def test_an_invalid_operation_hides_no_fault_that_does_not_depend_on_it(
    api: Api, table: str, invalid: dict[str, Any], faults: list[str]
) -> None:
    refused = api.post(
        f"{table}proposals/schema/", {"mode": "update", "operations": [invalid, *ADDED_TWICE, BAD_DEFAULT]}
    )
    assert [fault["path"] for fault in refused.json()["errors"]] == faults


@pytest.mark.parametrize(
    ("query", "faults"),
    [
        ("limit=5000", [("limit", "out_of_range", "limit must be from 1 to 1000.")]),
        ("limit=ten&ofset=-1", [
            ("limit", "not_whole", "limit must be a whole number."),
            ("ofset", "unknown_parameter", "Unknown parameter “ofset”. Did you mean “offset”?"),
        ]),
        ("keys=ids", [("keys", "unknown_value", "keys must be one of name, id. Did you mean “id”?")]),
    ],
    ids=["range", "several", "word"],
)  # fmt: skip
def test_parameters_are_named_in_their_errors(
    api: Api, table: str, query: str, faults: list[tuple[str, str, str]]
) -> None:
    refused = api.client.get(f"{table}rows/?{query}")
    found = [(fault["path"], fault["code"], fault["detail"]) for fault in refused.json()["errors"]]
    assert (refused.status_code, found) == (400, faults)


def test_all_faults_of_a_write_are_reported(api: Api, table: str) -> None:
    query = api.post(f"{table}rows/?typecast=maybe&keys=ids&limt=1", {"Company": "x"})
    row = api.get(f"{table}rows/").json()["rows"][0]["id"]
    one = api.patch(f"{table}rows/{row}/", {"Salary": 1})
    many = api.patch(f"{table}rows/", {"rows": [{"id": row, "cells": {}}]})
    assert [[fault["path"] for fault in refused.json()["errors"]] for refused in (query, one, many)] == [
        ["typecast", "keys", "limt"], ["Salary", "data"], ["rows[0].cells", "rows[0].data"],
    ]  # fmt: skip


@pytest.mark.parametrize("path", ["rows/", "rows/find/", "stats/", "choices/", "aggregate/", "export/"])
def test_the_faults_of_all_parameters_are_reported(api: Api, table: str, path: str) -> None:
    sent = {
        "limit": "5000", "ofset": "1", "keys": "ids", "format": "pdf", "tz": "Mars", "search": "x" * 1_001,
        "sort": "Firm,-Salry", "columns": "Company,Nme", "order": "size", "group_by": '[{"column": "Firm"}]',
        "filter": '[{"column": "Salary", "op": "gte", "value": "much"}, {"column": "Firm", "op": "empty"}]',
    }  # fmt: skip
    refused = api.get(table + path, **sent)
    faults = [fault["path"] for fault in refused.json()["errors"]]
    read = {fault.partition("[")[0] for fault in faults}
    assert (refused.status_code, read) == (400, sent.keys())
    assert faults.count("filter[0].value") == faults.count("filter[1].column") == 1


def test_a_flag_is_true_or_false(api: Api, table: str) -> None:
    refused = api.post(f"{table}rows/?typecast=yes", {"Company": "Acme"})
    assert (refused.status_code, refused.json()["detail"]) == (400, "typecast must be true or false.")
