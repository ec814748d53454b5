"""What becomes of a column's default when the column gets another type: it goes along, or is said to be cleared."""
from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Api

Json = dict[str, Any]


def notes(api: Api, *, kind: str, default: Any, rows: list[Any]) -> str:
    column = {"name": "Note", "type": kind, "default": default}
    body = {"name": "Notes", "columns": [column], "rows": [{"Note": row} for row in rows]}
    made = api.post("/api/tables/", body).json()
    return f"/api/tables/{made['id']}/"


def become(api: Api, table: str, **changes: Any) -> Json:
    """The preview of the change, which is then made."""
    proposal = {"mode": "update", "operations": [{"action": "modify", "column_id": "Note", "changes": changes}]}
    (operation,) = api.post(f"{table}proposals/schema/?dry_run=true", proposal).json()["operations"]
    assert api.post(f"{table}proposals/schema/", proposal).status_code == 200
    return {
        "default": api.get(table).json()["columns"][0]["default"],
        "told": [note["code"] for note in operation["notes"] if note["code"] == "default_cleared"],
    }


@pytest.mark.parametrize(
    ("kind", "default", "rows", "kept"),
    [
        ("text", "open ", ["Done", "Open"], "Open"),
        ("number", 12, [1, 12], "12"),
        ("boolean", True, [True, False], "true"),
        ("text", "Later", ["Done", "Open"], None),
    ],
)
def test_a_default_that_is_one_of_the_options_found_stays_and_another_is_said_to_go(
    api: Api, kind: str, default: Any, rows: list[Any], kept: str | None
) -> None:
    found = become(api, notes(api, kind=kind, default=default, rows=rows), type="select")
    assert found == {"default": kept, "told": [] if kept else ["default_cleared"]}


def test_a_default_that_is_said_with_the_new_type_must_be_one_of_the_options_found(api: Api) -> None:
    table = notes(api, kind="text", default="Open", rows=["Open"])
    changes = {"type": "select", "default": "Later"}
    proposal = {"mode": "update", "operations": [{"action": "modify", "column_id": "Note", "changes": changes}]}
    response = api.post(f"{table}proposals/schema/", proposal)
    assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "operations[0].changes.default")
