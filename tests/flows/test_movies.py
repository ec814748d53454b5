"""A real, messy data set: imported over REST in bulk, read back unchanged, and counted by the assistant."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.chat.stream_client import Browser
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
        if len(rows) >= page["count"]["value"]:
            return rows


@pytest.mark.slow
@pytest.mark.django_db
def test_three_thousand_movies_are_read_back_unchanged(api: Api) -> None:
    assert read_all(api, load(api)) == MOVIES["rows"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("question", "rating", "tool"),
    [
        pytest.param("how many movies are PG-13?", "PG-13", "get_rows", id="one value"),
        pytest.param("how many per MPAA Rating?", "PG-13", "aggregate_rows", id="every value"),
    ],
)
def test_assistant_counts_with_a_tool(
    api: Api, user: User, live_server_url: str, question: str, rating: str, tool: str
) -> None:
    table = load(api)
    expected = sum(row.get("MPAA Rating") == rating for row in MOVIES["rows"])
    request = {"message": question, "context": {"current_page": "table_view", "table_id": table}}
    with Browser(live_server_url, user).open("POST", "/api/chat/stream/", request) as stream:
        answer = stream.until("complete")[-1]["payload"]
    assert [call["tool_name"] for call in answer["tool_history"]] == [tool]
    assert str(expected) in answer["message"].replace(",", "")
