"""Limits of tables, at the last accepted and the first refused value."""
from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest

from chatproject.config import environment
from tables.column_types.limits import HARD_LIMITS, LIMITS, set_limits
from tables.models import Table
from tests.conftest import Api


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    yield
    set_limits(**asdict(HARD_LIMITS))


def columns(count: int) -> list[dict[str, Any]]:
    return [{"name": f"C{number}", "type": "text"} for number in range(count)]


def make(api: Api, **body: Any) -> Any:
    return api.post("/api/tables/", {"name": "Big", **body})


def code(answer: Any) -> tuple[int, str]:
    body = answer.json()
    return answer.status_code, body["errors"][0]["code"] if "errors" in body else body["error"]


def test_a_table_has_at_most_500_columns(api: Api) -> None:
    assert code(make(api, columns=columns(501))) == (422, "too_many_columns")
    created = make(api, columns=columns(500))
    assert len(created.json()["columns"]) == 500
    url = f"/api/tables/{created.json()['id']}/columns/"
    assert code(api.post(url, {"name": "One more", "type": "text"})) == (422, "too_many_columns")
    assert Table.objects.count() == 1


def test_a_column_has_at_most_1000_options(api: Api) -> None:
    def select(count: int) -> dict[str, Any]:
        return {"name": "S", "type": "select", "options": [f"o{number}" for number in range(count)]}

    assert code(make(api, columns=[select(1_001)])) == (422, "too_many_options")
    assert make(api, columns=[select(1_000)]).status_code == 201


def test_a_cell_has_at_most_64_kb_of_utf_8(api: Api) -> None:
    url = f"/api/tables/{make(api, columns=columns(1)).json()['id']}/rows/"
    assert code(api.post(url, {"C0": "é" * 32_768 + "x"})) == (422, "too_long")
    assert api.post(url, {"C0": "é" * 32_768}).status_code == 201


@pytest.mark.parametrize("endpoint", ["POST rows", "PUT rows", "proposals/data"])
def test_rows_are_added_up_to_the_limit_or_not_at_all(api: Api, endpoint: str) -> None:
    set_limits(rows=5)
    table = make(api, columns=columns(1), rows=[{"C0": "a"}] * 3).json()["id"]
    url = f"/api/tables/{table}/"

    def add(count: int) -> Any:
        rows = [{"C0": f"{count} {number}"} for number in range(count)]
        if endpoint == "POST rows":
            return api.post(f"{url}rows/", {"rows": rows})
        if endpoint == "PUT rows":
            body = {"merge_on": ["C0"], "rows": rows}
            return api.client.put(f"{url}rows/", body, content_type="application/json")
        operations = [{"action": "add", "data": row} for row in rows]
        return api.post(f"{url}proposals/data/", {"operations": operations})

    assert code(add(3)) == (422, "too_many_rows")
    assert add(2).status_code in (200, 201)
    assert code(add(1)) == (422, "too_many_rows")
    assert api.get(f"{url}rows/").json()["count"]["value"] == 5


def test_restored_rows_count_for_the_limit(api: Api) -> None:
    set_limits(rows=3)
    table = f"/api/tables/{make(api, columns=columns(1), rows=[{'C0': 'a'}] * 3).json()['id']}/"
    ids = [row["id"] for row in api.get(f"{table}rows/").json()["rows"]]
    deletion = api.post(f"{table}rows/delete/", {"ids": ids[:2]}).json()["change"]
    api.post(f"{table}rows/", {"C0": "b"})
    before = api.get(f"{table}rows/").json()
    assert code(api.post(f"{table}changes/{deletion}/undo/")) == (422, "too_many_rows")
    assert code(api.post(f"{table}changes/{deletion}/undo/", {"on_conflict": "overwrite"})) == (422, "too_many_rows")
    assert api.get(f"{table}rows/").json() == before
    api.delete(f"{table}rows/{ids[2]}/")
    assert api.post(f"{table}changes/{deletion}/undo/").status_code == 200
    assert api.get(f"{table}rows/").json()["count"]["value"] == 3


def test_redone_rows_count_for_the_limit(api: Api) -> None:
    set_limits(rows=2)
    table = f"/api/tables/{make(api, columns=columns(1)).json()['id']}/"
    added = api.post(f"{table}rows/", {"rows": [{"C0": "a"}] * 2}).json()["change"]
    assert api.post(f"{table}changes/{added}/undo/").status_code == 200
    api.post(f"{table}rows/", {"C0": "b"})
    assert code(api.post(f"{table}changes/{added}/redo/")) == (422, "too_many_rows")


def test_restored_columns_count_for_the_limit(api: Api) -> None:
    set_limits(columns=2)
    table = f"/api/tables/{make(api, columns=columns(2)).json()['id']}/"
    first = api.get(f"{table}columns/").json()["columns"][0]["id"]
    deletion = api.delete(f"{table}columns/{first}/").json()["change"]
    api.post(f"{table}columns/", {"name": "New", "type": "text"})
    assert code(api.post(f"{table}changes/{deletion}/undo/")) == (422, "too_many_columns")
    assert [column["name"] for column in api.get(f"{table}columns/").json()["columns"]] == ["C1", "New"]


def test_deleted_rows_do_not_count(api: Api) -> None:
    set_limits(rows=2)
    url = f"/api/tables/{make(api, columns=columns(1), rows=[{'C0': 'a'}] * 2).json()['id']}/rows/"
    assert api.delete(f"{url}{api.get(url).json()['rows'][0]['id']}/").status_code == 200
    assert api.post(url, {"C0": "b"}).status_code == 201


@pytest.mark.parametrize(
    ("name", "setting", "effective"),
    [("columns", 501, 500), ("rows", 10**9, 1_000_000), ("options", 2_000, 1_000), ("cell_bytes", 10**6, 65_536),
     ("columns", 3, 3), ("rows", 0, 1)],
)  # fmt: skip
def test_settings_can_lower_but_not_raise_limits(name: str, setting: int, effective: int) -> None:
    set_limits(**{name: setting})
    assert getattr(LIMITS, name) == effective


def test_environment_values_over_the_cap_are_capped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLES_MAX_COLUMNS", "9999")
    assert environment.integer("TABLES_MAX_COLUMNS", 500, maximum=500) == 500


def rows_of(api: Api, *, count: int) -> str:
    table = make(api, columns=columns(1), rows=[{"C0": "x"}] * min(count, 10_000)).json()["id"]
    url = f"/api/tables/{table}/"
    if count > 10_000:
        api.post(f"{url}rows/", {"rows": [{"C0": "x"}] * (count - 10_000)})
    return url


@pytest.mark.slow
def test_a_condition_with_too_many_matches_is_refused_with_their_number(api: Api) -> None:
    url = rows_of(api, count=10_001)
    where = {"column": "C0", "op": "eq", "value": "x"}
    update = {"action": "update", "where": where, "changes": {"C0": "y"}}
    answer = api.post(f"{url}proposals/data/", {"operations": [update, {"action": "add", "data": {"C0": "z"}}]})
    assert (answer.status_code, answer.json()["error"]) == (422, "too_many")
    assert "10,002" in answer.json()["detail"]
    assert answer.json()["errors"][0]["path"] == "operations[0].where"
    assert "10,001" in answer.json()["errors"][0]["detail"]
    assert api.delete(f"{url}rows/{api.get(f'{url}rows/').json()['rows'][0]['id']}/").status_code == 200
    answer = api.post(f"{url}proposals/data/", {"operations": [update]})
    assert (answer.status_code, len(answer.json()["applied"])) == (200, 10_000)


def test_a_filter_has_at_most_50_conditions(api: Api) -> None:
    url = rows_of(api, count=1)
    condition = {"column": "C0", "op": "eq", "value": "x"}
    assert api.get(f"{url}rows/", filter=json.dumps([condition] * 50)).json()["count"]["value"] == 1
    assert code(api.get(f"{url}rows/", filter=json.dumps([condition] * 51))) == (400, "too_many_conditions")


def test_a_request_has_at_most_10000_rows(api: Api) -> None:
    url = rows_of(api, count=1)
    assert code(api.post(f"{url}rows/", {"rows": [{"C0": "x"}] * 10_001})) == (422, "too_many")
    upsert = {"merge_on": ["C0"], "rows": [{"C0": str(number)} for number in range(10_001)]}
    answer = api.client.put(f"{url}rows/", upsert, content_type="application/json")
    assert code(answer) == (422, "too_many")
    ids = list(range(1, 10_002))
    assert code(api.post(f"{url}rows/delete/", {"ids": ids})) == (422, "too_many")
    assert code(api.post(f"{url}rows/move/", {"ids": ids, "after_row_id": 10_002})) == (422, "too_many")
    rows = [{"id": number, "data": {"C0": "y"}} for number in ids]
    assert code(api.patch(f"{url}rows/", {"rows": rows})) == (422, "too_many")
