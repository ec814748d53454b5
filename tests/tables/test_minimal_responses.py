"""Writes of many rows with `Prefer: return=minimal`."""
from __future__ import annotations

from typing import Any

from tests.conftest import Api


def rows(api: Api, table: str) -> list[dict[str, Any]]:
    return api.get(f"{table}rows/").json()["rows"]


def test_minimal_responses_have_ids_in_place_of_rows(api: Api, table: str) -> None:
    minimal: Any = {"content_type": "application/json", "headers": {"Prefer": "respond-async, Return=\"minimal\""}}
    first = rows(api, table)[0]["id"]
    added = api.client.post(f"{table}rows/", {"rows": [{"Company": f"C{n}"} for n in range(7)]}, **minimal)
    answer = added.json()
    ids = [row["id"] for row in rows(api, table)[-7:]]
    undo = f"{table}changes/{answer['change']}/undo/"
    assert (added.status_code, added.headers["Preference-Applied"]) == (201, "return=minimal")
    assert answer == {
        "created_count": 7, "created_ids": [[ids[0], ids[-1]]], "updated_count": 0, "updated_ids": [],
        "change": answer["change"], "version": api.get(table).json()["version"], "undo": undo,
    }  # fmt: skip
    changed = [{"id": ids[-1], "data": {"Salary": 5}}, {"id": first, "data": {"Salary": 5}}]
    assert api.client.patch(f"{table}rows/", {"rows": changed}, **minimal).json()["updated_ids"] == [
        [ids[-1]] * 2, [first] * 2,
    ]  # fmt: skip
    body = {"merge_on": ["Company"], "rows": [{"Company": "C3", "Salary": 1}, {"Company": "New"}]}
    merged = api.client.put(f"{table}rows/", body, **minimal).json()
    assert (merged["created_count"], merged["updated_ids"]) == (1, [[ids[3]] * 2])
    assert api.post(merged["undo"]).status_code == 200
    assert [row["data"].get("Salary") for row in rows(api, table)[-7:]] == [*[None] * 6, 5]
