"""Nearly valid requests are either applied or refused with a path, never partly ignored."""
from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Api
from tests.tables.shared_table import make_table

Json = dict[str, Any]
ADD = {"operations": [{"action": "add", "data": {"Company": "Crux"}}]}


@pytest.fixture
def table(api: Api) -> str:
    return make_table(api)


@pytest.mark.parametrize("name", ["dry_run", "typecast", "on_conflict", "on_unconvertible", "on_removed_option"])
def test_an_empty_decision_is_refused_and_nothing_is_applied(api: Api, table: str, name: str) -> None:
    response = api.post(f"{table}proposals/data/?{name}=", ADD)
    assert (response.status_code, response.json()["errors"][0]["path"]) == (400, name)
    assert api.get(f"{table}rows/").json()["count"]["value"] == 2


def test_rows_keyed_by_nothing_are_refused(api: Api, table: str) -> None:
    response = api.get(f"{table}rows/", keys="")
    assert (response.status_code, response.json()["errors"][0]["path"]) == (400, "keys")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"records": [{"fields": {"Company": "Crux"}}]}, "records"),
        ({"fields": {"Company": "Crux"}}, "fields"),
        ({"rows": [{"fields": {"Company": "Crux"}}]}, "rows[0].fields"),
        ([{"Company": "Crux"}], ""),
    ],
)
def test_rows_in_the_form_of_another_product_are_refused_with_the_right_one(
    api: Api, table: str, body: Any, path: str
) -> None:
    for method in (api.client.post, api.client.patch, api.client.put):
        refused = method(f"{table}rows/", body, content_type="application/json").json()
        [fault] = refused.get("errors", [{**refused, "path": ""}])
        assert (fault["path"], fault["message_code"]) == (path, "rows_form")


def test_a_filter_that_is_not_json_is_refused_with_an_example(api: Api, table: str) -> None:
    [fault] = api.get(f"{table}rows/", filter="x").json()["errors"]
    assert (fault["path"], fault["code"], fault["message_code"]) == ("filter", "not_json", "json_example")


@pytest.mark.parametrize("body", [{"name": None}, {"description": None}, {"name": None, "description": None}, {}])
def test_nulls_for_name_and_description_change_nothing(api: Api, table: str, body: Json) -> None:
    before = api.get(table).json()
    response = api.patch(table, body)
    assert (response.status_code, response.json()) == (200, before)


@pytest.mark.parametrize("expected", [{}, [], "much"], ids=repr)
def test_an_expected_value_of_another_type_is_refused(
    api: Api, table: str, expected: Any
) -> None:
    row = api.get(f"{table}rows/").json()["rows"][0]
    response = api.patch(f"{table}rows/{row['id']}/", {"data": {"Salary": 11}, "expected": {"Salary": expected}})
    assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "expected.Salary")
    assert api.get(f"{table}rows/{row['id']}/").json() == row


@pytest.mark.parametrize(
    ("decision", "path"),
    [
        ("maybe", "on_conflict"),
        (["skip"], "on_conflict"),
        ({"rows[1].data.Salary": "maybe"}, "on_conflict.rows[1].data.Salary"),
        ({"1": "skip"}, "on_conflict.1"),
        ({"": "skip"}, "on_conflict."),
        ({"rows[one].data.Salary": "overwrite"}, "on_conflict.rows[one].data.Salary"),
    ],
)
@pytest.mark.parametrize("way", ["undo", "redo"])
def test_a_decision_about_an_unknown_cell_is_refused_with_its_path(
    api: Api, table: str, way: str, decision: Any, path: str
) -> None:
    change = api.get(f"{table}changes/").json()["changes"][0]["id"]
    response = api.post(f"{table}changes/{change}/{way}/", {"on_conflict": decision})
    assert (response.status_code, response.json()["errors"][0]["path"]) == (400, path)


@pytest.mark.parametrize("decision", [None, "skip", {"rows[1].data.Salary": "overwrite"}], ids=repr)
def test_undoing_a_creation_with_later_changes_needs_overwrite(
    api: Api, table: str, decision: Any
) -> None:
    created = api.get(f"{table}changes/").json()["changes"][-1]["id"]
    api.post(f"{table}rows/", {"Company": "Later"})
    response = api.post(f"{table}changes/{created}/undo/", {"on_conflict": decision})
    assert (response.status_code, response.json()["error"]) == (409, "changed_since")
    assert api.get(table).status_code == 200
    assert api.post(f"{table}changes/{created}/undo/", {"on_conflict": "overwrite"}).json()["table"]["trashed"] is True


def test_invalid_versions_are_refused_and_nothing_is_written(api: Api, table: str) -> None:
    before = api.get(table).json()
    row = api.get(f"{table}rows/").json()["rows"][0]["id"]
    for version in ("1", 'W/"1"', '"1", "2"', '"-1"', '"1.0"', '"١"', '""', '"', "", f'"{10**18}"'):
        headers = {"If-Match": version}
        send = {"content_type": "application/json", "headers": headers}
        answers = [
            api.client.patch(table, {"name": "Other"}, **send),
            api.client.delete(table, headers=headers),
            api.client.patch(f"{table}rows/{row}/", {"data": {"Salary": 1}}, **send),
            api.client.delete(f"{table}rows/{row}/", headers=headers),
        ]
        found = [(answer.status_code, answer.json()["errors"][0]["path"], answer.json()["error"]) for answer in answers]
        assert found == [(400, "If-Match", "bad_if_match")] * 4, version
        assert api.get(table).json() == before, version


def test_a_star_matches_any_version(api: Api, table: str) -> None:
    headers = {"If-Match": "*"}
    row = api.get(f"{table}rows/").json()["rows"][0]["id"]
    answers = [
        api.client.patch(table, {"name": "Other"}, content_type="application/json", headers=headers),
        api.client.delete(f"{table}rows/{row}/", headers=headers),
        api.client.delete(table, headers=headers),
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200]


def test_invalid_row_ids_to_delete_are_refused_at_their_index(api: Api, table: str) -> None:
    first = api.get(f"{table}rows/").json()["rows"][0]["id"]
    for row in (True, 1.0, 0, -1, 2**63, "1", None, [1]):
        answer = api.post(f"{table}rows/delete/", {"ids": [first, row]})
        assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, "ids[1]"), row
    assert api.get(f"{table}rows/").json()["count"]["value"] == 2


# Two or more independent faults each: method, path below the table, body, `If-Match`, and the paths of all faults.
COMBINED: dict[str, tuple[str, str, Any, str, set[str]]] = {
    "query, version and cells": (
        "POST", "rows/?typecast=maybe&foo=1", {"Company": "x", "Salary": []}, "x",
        {"typecast", "foo", "If-Match", "Salary"}),
    "fields beside the cells": (
        "POST", "rows/", {"rows": [{"data": {"Company": "x", "Salary": "z"}, "version": 1}]}, "*",
        {"rows[0].version", "rows[0].data.Salary"}),
    "texts that cannot be options": (
        "POST", "rows/?create_options=true",
        {"rows": [{"Company": "x", "Status": "x" * 300}, {"Company": "y", "Status": "y" * 300, "Salary": "z"}]}, "*",
        {"rows[0].Status", "rows[1].Status", "rows[1].Salary"}),
    "skipped cells and unknown fields": (
        "POST", "rows/?on_invalid=skip",
        {"rows": [{"Company": "x", "Zz": 1}], "foo": 1, "after_row_id": 99999}, "*",
        {"foo", "rows[0].Zz", "after_row_id"}),
    "skipped cells and missing rows": (
        "PATCH", "rows/?on_invalid=skip", {"rows": [{"id": 99999, "data": {"Zz": 1}}, {"id": "x", "data": {}}]}, "*",
        {"rows[0].id", "rows[0].data.Zz", "rows[1].id", "rows[1].data"}),
    "exclusive decisions": (
        "POST", "rows/?on_invalid=skip&create_options=true", {"rows": [{"Zz": 1}]}, "*",
        {"create_options", "rows[0].Zz"}),
    "exclusive decisions about one row": (
        "POST", "rows/?on_invalid=skip&create_options=true", {"Zz": 1}, "*", {"create_options", "Zz"}),
    "versions": (
        "PATCH", "rows/",
        {"rows": [{"id": 99999, "version": "x", "data": {"Salary": 1}}, {"id": None, "data": {"Salary": "x"}}]}, "*",
        {"rows[0].version", "rows[0].id", "rows[1].data.Salary"}),
    "query and values of a proposal for rows": (
        "POST", "proposals/data/?x=1",
        {"operations": [{"action": "add", "data": {"Company": "x", "Salary": "z"}}]}, "*",
        {"x", "operations[0].data.Salary"}),
    "query and names of a proposal for columns": (
        "POST", "proposals/schema/?x=1",
        {"mode": "update", "operations": [{"action": "add", "column": {"name": "Company", "type": "text"}}]}, "*",
        {"x", "operations[0].column.name"}),
    "key columns": ("PUT", "rows/", {"merge_on": ["Zz"]}, "*", {"merge_on[0]", "rows"}),
    "a name and a field": ("PATCH", "?x=1", {"name": "", "foo": 6}, "x", {"x", "If-Match", "foo", "name"}),
    "a column": (
        "POST", "columns/?on_removed_option={", {"nme": "x", "type": "z", "after_column_id": "zz"}, "x",
        {"on_removed_option", "If-Match", "nme", "name", "type", "after_column_id"}),
    "new columns": (
        "PATCH", "rows/",
        {"rows": [{"id": 99999, "data": {"Salary": "z", "New": 5, "Other": 1}}], "new_columns": ["", "New", 5]}, "*",
        {"rows[0].id", "rows[0].data.Salary", "rows[0].data.New", "new_columns[0]", "new_columns[2]"}),
    "view settings": (
        "PUT", "view/?x=1", {"widths": {"Zz": 50}, "hidden": ["Yy"], "foo": 1}, "*",
        {"x", "widths.Zz", "hidden[0]", "foo"}),
    "a column with a taken name": (
        "PATCH", "columns/Salary/?x=1", {"name": "Company", "default": "q", "required": 5}, "*",
        {"x", "name", "default", "required"}),
    "a proposal": (
        "POST", "proposals/data/?tz=zz&plan=z&on_removed_option={", {"operations": [{"action": "delete"}]}, "x",
        {"tz", "plan", "on_removed_option", "If-Match", "operations[0].row_id"}),
    "an invitation": ("POST", "members/?x=1", {"kind": "user", "role": "y"}, "*", {"x", "role", "name"}),
    "a list": (
        "GET", "rows/?sort=zz&cursor=q&limit=0&typecast=maybe", None, "*", {"sort", "cursor", "limit", "typecast"}),
}  # fmt: skip


def test_all_faults_are_named_at_once(api: Api, table: str) -> None:
    api.post(f"{table}columns/", {"name": "Status", "type": "select", "options": ["Open"]})
    wrong: dict[str, set[str]] = {}
    for name, (method, path, body, version, paths) in COMBINED.items():
        headers = {} if version == "*" else {"If-Match": version}
        sent = b"" if body is None else json.dumps(body).encode()
        found = api.client.generic(method, f"{table}{path}", sent, "application/json", headers=headers).json()
        if (named := {fault["path"] for fault in found["errors"]}) != paths:
            wrong[name] = named ^ paths
    assert wrong == {}


def test_an_import_without_content_names_its_alternatives(api: Api) -> None:
    refused = api.client.post("/api/imports/?x=1", {"table": "x"}, content_type="application/json").json()
    faults = {fault["path"]: fault["message_code"] for fault in refused["errors"]}
    assert faults == {"x": "unknown_parameter", "text": "text_or_file", "table": "not_a_table_id_or_null"}
