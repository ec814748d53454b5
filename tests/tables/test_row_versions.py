"""Versions of rows in bulk writes over REST, and the version of the table in their header."""
from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Api
from tests.tables.test_rest_writing import rows


def paths(answer: Any) -> list[str]:
    return [fault["path"] for fault in answer.json()["errors"]]


BY_ROW_VERSION: dict[str, tuple[str, str, Any, list[str]]] = {
    "change": ("PATCH", "rows/", lambda ids: {"rows": [{"id": pk, "data": {"Salary": 3}, "version": 1} for pk in ids]},
               ["rows[0].version", "rows[1].version"]),
    "delete": ("POST", "rows/delete/", lambda ids: {"rows": [{"id": pk, "version": 1} for pk in ids]},
               ["rows[0].version", "rows[1].version"]),
    "move": ("POST", "rows/move/", lambda ids: {
        "rows": [{"id": ids[1], "version": 1}], "before_row_id": ids[0]}, ["rows[0].version"]),
    "propose": ("POST", "proposals/data/", lambda ids: {
        "operations": [{"action": "delete", "row_id": pk, "version": 1} for pk in ids]},
        ["operations[0].version", "operations[1].version"]),
    "preview": ("POST", "proposals/data/?dry_run=true", lambda ids: {
        "operations": [{"action": "delete", "row_id": ids[1], "version": 1}]}, ["operations[0].version"]),
}  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body", "where"), BY_ROW_VERSION.values(), ids=BY_ROW_VERSION.keys())
def test_outdated_rows_of_a_bulk_write_are_named(
    api: Api, table: str, method: str, path: str, body: Any, where: list[str]
) -> None:
    ids = [row["id"] for row in rows(api, table)]
    api.patch(f"{table}rows/", {"rows": [{"id": pk, "data": {"Salary": 2}} for pk in ids]})
    before = rows(api, table)
    answer = api.client.generic(method, table + path, json.dumps(body(ids)), "application/json")
    faults = answer.json()["errors"]
    assert (answer.status_code, [fault["path"] for fault in faults]) == (412, where)
    assert faults[-1]["detail"] == f"Row {ids[1]} has version 2 now, not 1."
    assert rows(api, table) == before


def test_the_header_of_a_bulk_write_has_the_version_of_the_table(api: Api, table: str) -> None:
    first = rows(api, table)[0]
    body = {"rows": [{"id": first["id"], "data": {"Salary": 3}}]}
    send = {"content_type": "application/json"}
    stale = api.client.patch(f"{table}rows/", body, headers={"If-Match": '"0"'}, **send)
    assert (stale.status_code, stale.json()["detail"]) == (412, "The table has version 1 now, not 0.")
    assert api.client.patch(f"{table}rows/", body, headers={"If-Match": '"1"'}, **send).status_code == 200


# Requests with an outdated version and other faults: of a row (%id), or of the table in `If-Match`.
WITH_OTHERS: dict[str, tuple[str, str, str, bool, list[str]]] = {
    "change": ("PATCH", "rows/", """{"rows": [{"id": %id, "version": 9, "data": {"Salary": "many", "Salery": 1}},
        {"id": 999999, "data": {"Salary": 1}}]}""", False,
        ["rows[0].data.Salery", "rows[0].version", "rows[0].data.Salary", "rows[1].id"]),
    "change with a header": ("PATCH", "rows/", """{"rows": [{"id": %id, "version": 9, "data": {"Salary": "many"}}]}""",
        True, ["If-Match", "rows[0].version", "rows[0].data.Salary"]),
    "one row": ("PATCH", "rows/%id/", """{"data": {"Salary": "many"}}""", True, ["If-Match", "data.Salary"]),
    "upsert": ("PUT", "rows/", """{"merge_on": ["Company"], "rows": [{"data": {"Company": "Acme"}, "version": 9},
        {"data": {"Company": "New", "Salary": "many"}}]}""", False, ["rows[0].version", "rows[1].data.Salary"]),
    "move": ("POST", "rows/move/", """{"rows": [{"id": %id, "version": 9}, {"id": 999999}], "after_row_id": 999998}""",
        True, ["If-Match", "rows[0].version", "rows[1].id", "after_row_id"]),
    "propose": ("POST", "proposals/data/", """{"operations": [{"action": "delete", "row_id": %id, "version": 9},
        {"action": "add", "data": {"Salary": "many"}}]}""", False,
        ["operations[0].version", "operations[1].data.Salary", "operations[1].data.Company"]),
    "preview": ("POST", "proposals/data/?dry_run=true", """{"operations": [{"action": "add", "data": {"Company": "New",
        "Salary": "many"}}]}""", True, ["If-Match", "operations[0].data.Salary"]),
    "column": ("PATCH", "columns/Salary/", """{"name": "Company", "required": true}""", True, ["If-Match", "name"]),
    "required": ("PATCH", "columns/Salary/", """{"required": true}""", True, ["If-Match", ""]),
}  # fmt: skip
# Requests whose form is wrong: they are 400, but name the version of the table too.
MALFORMED_WITH_OTHERS: dict[str, tuple[str, str, str, list[str]]] = {
    "propose": ("POST", "proposals/data/", """{"foo": 1, "operations": [{"action": "add", "data":
        {"Salary": "many"}}]}""", ["foo", "operations[0].data.Salary", "operations[0].data.Company"]),
    "preview": ("POST", "proposals/data/?dry_run=true", "{}", ["operations"]),
    "columns": ("POST", "proposals/schema/", "{}", ["mode", "operations"]),
    "new column": ("POST", "columns/", """{"name": "Company", "type": "zz"}""", ["name", "type"]),
    "column": ("PATCH", "columns/Salary/", "{}", [""]),
    "upsert": ("PUT", "rows/", """{"merge_on": [5, "Nope"], "rows": [{"Company": "x", "Salary": "y"}, 5,
        {"data": {"Company": "z"}, "version": "1"}]}""",
        ["merge_on[0]", "merge_on[1]", "rows[0].Salary", "rows[1]", "rows[2].version"]),
    "delete": ("POST", "rows/delete/", """{"rows": [{"id": %id, "version": "1"}]}""", ["rows[0].version"]),
    "move": ("POST", "rows/move/", """{"rows": [{"id": %id, "version": "1"}], "after_row_id": 999998}""",
        ["rows[0].version", "after_row_id"]),
    "trash": ("DELETE", "?x=1", "", ["x"]),
    "row": ("DELETE", "rows/%id/?z=1", "", ["z"]),
    "column with another parameter": ("PATCH", "columns/Salary/?x=1", """{"required": true}""", ["x", ""]),
    "column with a misspelled decision": (
        "PATCH", "columns/Salary/?on_empty_cels=keep", """{"required": true}""", ["on_empty_cels"]),
    "columns with another parameter": ("POST", "proposals/schema/?x=1", """{"mode": "update", "operations": [
        {"action": "modify", "column_id": "Salary", "changes": {"required": true}}]}""",
        ["x", "operations[0]"]),
    "undo": ("POST", "changes/%change/undo/", """{"foo": 1}""", ["foo"]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("method", "path", "body", "is_in_header", "where"), WITH_OTHERS.values(), ids=WITH_OTHERS.keys()
)
def test_other_faults_are_named_beside_an_outdated_version(
    api: Api, table: str, method: str, path: str, body: str, is_in_header: bool, where: list[str]
) -> None:
    first = str(rows(api, table)[0]["id"])
    url, text = table + path.replace("%id", first), body.replace("%id", first)
    headers = {"If-Match": '"9"'} if is_in_header else {}
    answer = api.client.generic(method, url, text, "application/json", headers=headers)
    assert (answer.status_code, sorted(paths(answer))) == (412, sorted(where)), answer.json()


def test_a_malformed_request_names_an_outdated_version_too(api: Api, table: str) -> None:
    named = {"%id": rows(api, table)[0]["id"], "%change": api.get(f"{table}changes/").json()["changes"][0]["id"]}
    found, headers = {}, {"If-Match": '"9"'}
    for name, (method, path, body, where) in MALFORMED_WITH_OTHERS.items():
        url, text = table + path, body
        for sign, number in named.items():
            url, text = url.replace(sign, str(number)), text.replace(sign, str(number))
        answer = api.client.generic(method, url, text, "application/json", headers=headers)
        if (answer.status_code, sorted(paths(answer))) != (400, sorted(["If-Match", *where])):
            found[name] = answer.json()
    assert found == {}
    api.delete(table)
    answer = api.client.post(f"{table}restore/", {"foo": 1}, "application/json", headers={"If-Match": '"9"'})
    assert (answer.status_code, sorted(paths(answer))) == (400, ["If-Match", "foo"])


def test_a_malformed_undo_names_its_conflicts_too(api: Api, table: str) -> None:
    first = rows(api, table)[0]["id"]
    changed = api.patch(f"{table}rows/{first}/", {"data": {"Salary": 5}}).json()["change"]
    api.patch(f"{table}rows/{first}/", {"data": {"Salary": 6}})
    undo = f"{table}changes/{changed}/undo/"
    [conflict] = paths(api.post(undo))
    assert sorted(paths(api.post(f"{undo}?z=1", {"x": 1}))) == sorted(["z", "x", conflict])
    decided = {"x": 1, "on_conflict": "overwrite"}
    assert paths(api.post(undo, decided)) == ["x"]
    keyed = api.client.post(undo, decided, "application/json", headers={"Idempotency-Key": "k1"})
    assert (keyed.status_code, paths(keyed)) == (400, ["x"])
    assert rows(api, table)[0]["data"]["Salary"] == 6


def test_rows_to_delete_are_given_once(api: Api, table: str) -> None:
    first = rows(api, table)[0]["id"]
    assert paths(api.post(f"{table}rows/delete/", {"ids": [first], "rows": [{"id": first}]})) == ["ids"]
    assert paths(api.post(f"{table}rows/delete/", {})) == ["ids"]
    assert paths(api.post(f"{table}rows/delete/", {"rows": [{"id": first, "expected": {"Salary": 11}}]})) == [
        "rows[0].expected.Salary"
    ]
    assert paths(api.post(f"{table}rows/move/", {"rows": [{"id": 0}], "after_row_id": first})) == ["rows[0].id"]
    assert api.post(f"{table}rows/delete/", {"rows": [{"id": first, "expected": {"Salary": 10}}]}).status_code == 200
