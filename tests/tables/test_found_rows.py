"""Positions in a view of rows with search words or ids."""
from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Api

NAMES = ["Ada", "Bob", "Ann", "Abe", "Eve"]


@pytest.fixture
def rows(api: Api) -> str:
    """Create a table with names and numbers and return the URL of its rows."""
    columns = [{"name": "Name", "type": "text"}, {"name": "Number", "type": "number"}]
    body = {"name": "People", "columns": columns, "rows": [{"Name": n, "Number": i} for i, n in enumerate(NAMES)]}
    return f"/api/tables/{api.post('/api/tables/', body).json()['id']}/rows/"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("find=A", {"Ada": 0, "Ann": 2, "Abe": 3}),
        ("find=a n", {"Ann": 2}),
        ("find=A&sort=-Number", {"Abe": 1, "Ann": 2, "Ada": 4}),
        ('find=A&filter={"column":"Number","op":"gte","value":2}', {"Ann": 0, "Abe": 1}),
        ("find=A&search=b", {"Abe": 1}),
        ("find=", {}),
    ],
    ids=["one word", "two words", "sorted", "filtered", "searched", "no words"],
)
def test_matching_rows_have_their_positions(api: Api, rows: str, query: str, expected: dict[str, int]) -> None:
    answer = api.get(f"{rows}find/?{query}").json()
    names = {row["id"]: row["data"]["Name"] for row in api.get(rows).json()["rows"]}
    assert {names[each["id"]]: each["index"] for each in answer["found"]} == expected
    assert answer["count"] == len(expected)


def test_rows_are_found_by_id_without_deleted_ones(api: Api, rows: str) -> None:
    ids = [row["id"] for row in api.get(rows).json()["rows"]]
    api.delete(f"{rows}{ids[1]}/")
    answer = api.get(f"{rows}find/?ids={ids[4]},{ids[1]},{ids[0]}").json()
    assert answer["found"] == [{"index": 0, "id": ids[0]}, {"index": 3, "id": ids[4]}]


def test_matches_over_the_limit_are_counted(api: Api) -> None:
    many: list[dict[str, Any]] = [{"Name": f"Firm {number}"} for number in range(1_005)]
    body = {"name": "Firms", "columns": [{"name": "Name", "type": "text"}], "rows": many}
    table = api.post("/api/tables/", body).json()["id"]
    answer = api.get(f"/api/tables/{table}/rows/find/?find=firm").json()
    assert (len(answer["found"]), answer["count"]) == (1_000, 1_005)
