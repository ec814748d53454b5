"""A real, messy data set: in through REST in bulk, back out equal, and counted by the assistant with a tool."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Api

MOVIES = json.loads((Path(__file__).parents[1] / "data" / "movies.json").read_text(encoding="utf-8"))


def load(api: Api) -> int:
    created = api.post("/api/tables/", {"name": "Movies", "columns": MOVIES["columns"]})
    assert created.status_code == 201, created.content
    table = created.json()["id"]
    for start in range(0, len(MOVIES["rows"]), 1000):
        added = api.post(f"/api/tables/{table}/rows/", {"rows": MOVIES["rows"][start : start + 1000]})
        assert added.status_code == 201, added.content
    return table


def read_all(api: Api, table: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    while True:
        page = api.get(f"/api/tables/{table}/rows/", limit=1000, offset=len(rows)).json()
        rows += [row["data"] for row in page["rows"]]
        if len(rows) >= page["count"]:
            return rows


@pytest.mark.django_db
def test_three_thousand_movies_come_back_as_they_went_in(api: Api) -> None:
    assert read_all(api, load(api)) == MOVIES["rows"]
