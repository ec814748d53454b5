"""Responses to writes of many rows, with the rows and with `Prefer: return=minimal`."""
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


def test_responses_to_bulk_writes_have_the_rows_as_they_are_read(api: Api) -> None:
    types = {"100 %s “a”": "text", 'b"\\\u2028': "number", "c": "boolean", "d": "date"}
    columns = [{"name": name, "type": type_} for name, type_ in types.items()]
    table = f"/api/tables/{api.post('/api/tables/', {'name': 'Odd', 'columns': columns}).json()['id']}/"
    values = [("a\u2028\u2029\n\"%d", 1e23, True, "2024-01-31"), (None, -0.5, None, None), ("", 2**53 - 1, False, None)]
    sent = [dict(zip(types, row, strict=True)) for row in values] + [{}] * 5
    added = api.post(f"{table}rows/?keys=id", {"rows": sent})
    assert "\u2028" not in added.content.decode()
    assert added.json()["rows"] == api.get(f"{table}rows/?keys=id").json()["rows"]
    ids = [row["id"] for row in reversed(added.json()["rows"])]
    changed = api.patch(f"{table}rows/", {"rows": [{"id": pk, "data": sent[0]} for pk in ids]}).json()
    assert {row["id"]: row["version"] for row in changed["rows"]} == {pk: 1 + (pk != ids[-1]) for pk in ids}
    assert changed["rows"] == api.get(f"{table}rows/").json()["rows"][::-1]
