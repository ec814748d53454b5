"""Malformed proposals are refused with their path and without a server error."""
from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Api
from tests.tables.shared_table import make_table

Json = dict[str, Any]
NOT_ACTIONS = [["add"], {"add": 1}, 5, None, True, "ad"]


def new_table(*operations: Json) -> Json:
    metadata = {"table_name": "T", "table_description": "", "sample_rows": []}
    return {"mode": "create", "operations": list(operations), **metadata}


@pytest.mark.parametrize("endpoint", ["proposals/schema/", "1/proposals/schema/", "1/proposals/data/"])
def test_invalid_actions_are_refused_with_their_path(api: Api, endpoint: str) -> None:
    number = make_table(api).split("/")[3]
    for action in NOT_ACTIONS:
        operations = [{"action": action, "column": {"name": "A", "type": "text"}}]
        body = {"operations": operations} if "data" in endpoint else {"mode": "update", "operations": operations}
        body = new_table(*operations) if endpoint.startswith("p") else body

        response = api.post("/api/tables/" + endpoint.replace("1", number, 1), body)

        assert response.status_code == 400, action
        assert "operations[0].action" in [fault["path"] for fault in response.json()["errors"]], action


def test_a_column_after_itself_is_refused(api: Api) -> None:
    table = make_table(api)
    operation = {"action": "reorder", "column_id": "Salary", "after_column_id": "salary"}
    response = api.post(f"{table}proposals/schema/", {"mode": "update", "operations": [operation]})
    assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "operations[0].after_column_id")
