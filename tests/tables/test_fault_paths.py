"""Paths of faults in the bodies of requests."""
from __future__ import annotations

from typing import Any

from tests.conftest import Api


def paths(response: Any) -> list[str]:
    return [fault["path"] for fault in response.json()["errors"]]


def test_faults_of_a_column_have_paths_of_its_body(api: Api, table: str) -> None:
    columns = f"{table}columns/"
    text = {"name": "Note", "type": "text"}
    assert paths(api.post(columns, {**text, "name": ""})) == ["name"]
    assert paths(api.post(columns, {**text, "name": "company"})) == ["name"]
    assert paths(api.post(columns, {"name": "Note", "typ": 1, "type": "txt"})) == ["typ", "type"]
    assert paths(api.post(columns, {**text, "options": [1]})) == ["options[0]"]
    assert paths(api.post(columns, {**text, "type": "select", "options": ["x", "X"]})) == ["options[1]"]
    assert paths(api.post(columns, {**text, "type": "number", "default": "much"})) == ["default"]
    assert paths(api.post(columns, {**text, "after_column_id": "Nowhere"})) == ["after_column_id"]
    column = api.get(columns).json()["columns"][0]["id"]
    assert paths(api.patch(f"{columns}{column}/", {"name": ""})) == ["name"]
    assert paths(api.patch(f"{columns}{column}/", {"name": "Salary"})) == ["name"]
    assert paths(api.patch(f"{columns}{column}/", {})) == [""]


def test_faults_of_a_table_have_paths_of_its_body(api: Api, table: str) -> None:
    assert paths(api.patch(table, {"name": ""})) == ["name"]
    assert paths(api.patch(table, {"description": 5})) == ["description"]


def test_faults_of_rows_to_delete_have_paths_of_their_ids(api: Api, table: str) -> None:
    first = api.get(f"{table}rows/").json()["rows"][0]["id"]
    assert paths(api.post(f"{table}rows/delete/", {"ids": [first, first]})) == ["ids[1]"]
    assert paths(api.post(f"{table}rows/delete/", {"ids": [first, 10**9]})) == ["ids[1]"]
    assert paths(api.post(f"{table}rows/delete/", {"ids": ["1", first]})) == ["ids[0]"]
    assert len(api.get(f"{table}rows/").json()["rows"]) == 2


def test_an_invalid_decision_is_reported_at_its_parameter(api: Api, table: str) -> None:
    body = {"operations": [{"action": "add", "data": {"Company": "D"}}]}
    assert paths(api.post(f"{table}proposals/data/?on_removed_option=%7B", body)) == ["on_removed_option"]
