"""Requests that are nearly right: what they say is either done or refused with its path, never passed over."""
from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Api
from tests.tables.shared import make_table

Json = dict[str, Any]
ADD = {"operations": [{"action": "add", "data": {"Company": "Crux"}}]}


@pytest.fixture
def table(api: Api) -> str:
    return make_table(api)


@pytest.mark.parametrize("name", ["dry_run", "typecast", "on_conflict", "on_unconvertible", "on_removed_option"])
def test_an_empty_decision_is_refused_and_nothing_is_applied(api: Api, table: str, name: str) -> None:
    response = api.post(f"{table}proposals/data/?{name}=", ADD)
    assert (response.status_code, response.json()["errors"][0]["path"]) == (400, name)
    assert api.get(f"{table}rows/").json()["count"] == 2


def test_rows_keyed_by_nothing_are_refused(api: Api, table: str) -> None:
    response = api.get(f"{table}rows/", keys="")
    assert (response.status_code, response.json()["errors"][0]["path"]) == (400, "keys")


@pytest.mark.parametrize("body", [{"name": None}, {"description": None}, {"name": None, "description": None}, {}])
def test_nulls_for_name_and_description_change_nothing(api: Api, table: str, body: Json) -> None:
    before = api.get(table).json()
    response = api.patch(table, body)
    assert (response.status_code, response.json()) == (200, before)


@pytest.mark.parametrize("expected", [{}, [], "much"], ids=repr)
def test_an_expected_value_that_cannot_be_in_its_column_is_like_a_value_that_does_not_fit(
    api: Api, table: str, expected: Any
) -> None:
    row = api.get(f"{table}rows/").json()["rows"][0]
    response = api.patch(f"{table}rows/{row['id']}/", {"data": {"Salary": 11}, "expected": {"Salary": expected}})
    assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "expected.Salary")
    assert api.get(f"{table}rows/{row['id']}/").json() == row
