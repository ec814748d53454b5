"""Proposals that no model would write: each is refused with its path, none is a fault of the server."""
from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Api
from tests.tables.shared_table import make_table

Json = dict[str, Any]
NOT_ACTIONS = [["add"], {"add": 1}, 5, None, True, "ad"]


def new_table(*operations: Json) -> Json:
    words = {"table_name": "T", "table_description": "", "sample_rows": []}
    return {"mode": "create", "operations": list(operations), **words}


@pytest.mark.parametrize("action", NOT_ACTIONS, ids=repr)
@pytest.mark.parametrize("door", ["proposals/schema/", "1/proposals/schema/", "1/proposals/data/"])
def test_what_is_no_action_is_refused_with_its_path(api: Api, door: str, action: Any) -> None:
    number = make_table(api).split("/")[3]
    operations = [{"action": action, "column": {"name": "A", "type": "text"}}]
    body = {"operations": operations} if "data" in door else {"mode": "update", "operations": operations}
    body = new_table(*operations) if door.startswith("p") else body

    response = api.post("/api/tables/" + door.replace("1", number, 1), body)

    assert response.status_code == 400
    assert "operations[0].action" in [fault["path"] for fault in response.json()["errors"]]


def test_a_column_after_itself_is_understood_but_not_possible(api: Api) -> None:
    table = make_table(api)
    operation = {"action": "reorder", "column_id": "Salary", "after_column_id": "salary"}
    response = api.post(f"{table}proposals/schema/", {"mode": "update", "operations": [operation]})
    assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "operations[0].after_column_id")
