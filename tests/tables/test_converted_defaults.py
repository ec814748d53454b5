"""The default of a column when its type changes: it is converted or cleared with a note."""
from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Api

Json = dict[str, Any]


def notes(api: Api, *, type_name: str, default: Any, rows: list[Any]) -> str:
    column = {"name": "Note", "type": type_name, "default": default}
    body = {"name": "Notes", "columns": [column], "rows": [{"Note": row} for row in rows]}
    created = api.post("/api/tables/", body).json()
    return f"/api/tables/{created['id']}/"


def convert(api: Api, table: str, **changes: Any) -> Json:
    """Preview and apply the change; return the preview."""
    proposal = {"mode": "update", "operations": [{"action": "modify", "column_id": "Note", "changes": changes}]}
    (operation,) = api.post(f"{table}proposals/schema/?dry_run=true", proposal).json()["operations"]
    assert api.post(f"{table}proposals/schema/", proposal).status_code == 200
    return {
        "default": api.get(table).json()["columns"][0]["default"],
        "notes": [note["code"] for note in operation["notes"] if note["code"] == "default_cleared"],
    }


@pytest.mark.parametrize(
    ("type_name", "default", "rows", "expected"),
    [
        ("text", "open ", ["Done", "Open"], "Open"),
        ("number", 12, [1, 12], "12"),
        ("boolean", True, [True, False], "true"),
        ("text", "Later", ["Done", "Open"], None),
    ],
)
def test_a_default_is_kept_only_among_the_found_options(
    api: Api, type_name: str, default: Any, rows: list[Any], expected: str | None
) -> None:
    found = convert(api, notes(api, type_name=type_name, default=default, rows=rows), type="select")
    assert found == {"default": expected, "notes": [] if expected else ["default_cleared"]}


def test_a_new_default_must_be_among_the_found_options(api: Api) -> None:
    table = notes(api, type_name="text", default="Open", rows=["Open"])
    changes = {"type": "select", "default": "Later"}
    proposal = {"mode": "update", "operations": [{"action": "modify", "column_id": "Note", "changes": changes}]}
    response = api.post(f"{table}proposals/schema/", proposal)
    assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "operations[0].changes.default")


def test_values_and_a_default_that_do_not_fit_a_new_format_are_reported_and_only_the_default_is_cleared(
    api: Api,
) -> None:
    table = notes(api, type_name="text", default="soon", rows=["soon", "https://a.com", "a.com", None])
    changes = {"format": "url"}
    proposal = {"mode": "update", "operations": [{"action": "modify", "column_id": "Note", "changes": changes}]}
    (operation,) = api.post(f"{table}proposals/schema/?dry_run=true", proposal).json()["operations"]
    assert {note["code"]: note.get("value") for note in operation["notes"]} == {
        "default_cleared": None, "values_do_not_fit": 2,
    }  # fmt: skip
    assert api.post(f"{table}proposals/schema/", proposal).status_code == 200
    rows = api.get(f"{table}rows/").json()["rows"]
    assert [row["data"].get("Note") for row in rows] == ["soon", "https://a.com", "a.com", None]
    refused = api.post(f"{table}rows/", {"rows": [{"Note": "soon"}]})
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (422, "not_a_url")
    for type_name, values in (("number", [9, 2, 9, 2.5, None]), ("text", ["9", "2", "9", "2.5", None])):
        table = notes(api, type_name=type_name, default=values[0], rows=values[1:])
        changes = {"type": "number", "format": "rating"}
        proposal = {"mode": "update", "operations": [{"action": "modify", "column_id": "Note", "changes": changes}]}
        (operation,) = api.post(f"{table}proposals/schema/?dry_run=true", proposal).json()["operations"]
        counts = {note["code"]: note.get("value") for note in operation["notes"] if note["code"] != "values_converted"}
        assert counts == {"default_cleared": None, "values_do_not_fit": 2}
