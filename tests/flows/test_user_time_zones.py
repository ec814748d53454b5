"""Dates like “today” use the user's time zone everywhere."""
from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.agent.clock import SystemClock
from chat.turns.runtime import TurnRuntime
from tests.conftest import Api
from tests.stored_proposals import rows_proposal

# The date is never the same in both.
EARLY, LATE = "Pacific/Kiritimati", "Pacific/Pago_Pago"
ZONES = [EARLY, LATE]
TODAY = {"column": "Due", "op": "today"}
UPDATE = {"operations": [{"action": "update", "where": TODAY, "changes": {"Seen": True}}]}


def day(zone: str) -> str:
    return datetime.now(ZoneInfo(zone)).date().isoformat()


@pytest.fixture
def table(api: Api) -> str:
    columns = [{"name": "Zone", "type": "text"}, {"name": "Due", "type": "date"}, {"name": "Seen", "type": "boolean"}]
    rows = [{"Zone": zone, "Due": day(zone)} for zone in ZONES]
    created = api.post("/api/tables/", {"name": "Days", "columns": columns, "rows": rows})
    return f"/api/tables/{created.json()['id']}/"


def in_rows(api: Api, table: str, **query: str) -> list[str]:
    rows = api.get(f"{table}rows/", filter=json.dumps(TODAY), **query).json()["rows"]
    return [row["data"]["Zone"] for row in rows]


def by_proposal(api: Api, table: str, **query: str) -> list[str]:
    address = f"{table}proposals/data/?dry_run=true" + "".join(f"&{key}={value}" for key, value in query.items())
    preview = api.post(address, UPDATE).json()
    rows = {row["id"]: row["data"]["Zone"] for row in api.get(f"{table}rows/").json()["rows"]}
    return [rows[operation["row_id"]] for operation in preview["operations"]]


def applied(api: Api, table: str, **query: str) -> list[str]:
    address = f"{table}proposals/data/?" + "&".join(f"{key}={value}" for key, value in query.items())
    assert api.post(address, UPDATE).status_code == 200
    rows = api.get(f"{table}rows/").json()["rows"]
    return [row["data"]["Zone"] for row in rows if row["data"].get("Seen")]


def on_the_page(api: Api, table: str) -> list[str]:
    page = api.get(table.removeprefix("/api"), filter=json.dumps(TODAY)).content.decode()
    return [zone for zone in ZONES if f">{zone}<" in page]


ENDPOINTS: dict[str, Callable[..., list[str]]] = {"rows": in_rows, "preview": by_proposal, "apply": applied}


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("endpoint", [*ENDPOINTS.values(), on_the_page], ids=[*ENDPOINTS, "page"])
def test_today_depends_on_the_time_zone_of_the_user(
    api: Api, table: str, endpoint: Callable[..., Any], zone: str
) -> None:
    assert api.patch("/api/me/", {"time_zone": zone}).status_code == 200
    assert endpoint(api, table) == [zone]


@pytest.mark.parametrize("endpoint", ENDPOINTS.values(), ids=ENDPOINTS)
def test_request_may_name_another_time_zone(api: Api, table: str, endpoint: Callable[..., Any]) -> None:
    api.patch("/api/me/", {"time_zone": EARLY})
    assert endpoint(api, table, tz=LATE) == [LATE]


def test_proposal_of_the_assistant_is_resolved_to_dates_when_it_is_stored(api: Api, user: User, table: str) -> None:
    with timezone.override(ZoneInfo(LATE)):
        payload = rows_proposal(user, UPDATE["operations"][0], table_id=int(table.split("/")[3]))
    rows = {row["id"]: row["data"]["Zone"] for row in api.get(f"{table}rows/").json()["rows"]}
    stored = api.get(f"/api/chat/payloads/{payload.pk}/operations/").json()["operations"]
    assert [rows[operation["row_id"]] for operation in stored] == [LATE]


def test_turn_has_the_time_zone_of_its_request(db: None) -> None:
    found = []

    async def begin() -> None:
        async def work(turn: Any) -> None:
            found.append(timezone.get_current_timezone_name())

        with timezone.override(ZoneInfo(LATE)):
            turn = TurnRuntime(clock=SystemClock()).launch(uuid4(), work)
        await turn.task

    async_to_sync(begin)()
    assert found == [LATE]


def test_time_zone_takes_no_additional_query(api: Api, table: str) -> None:
    with CaptureQueriesContext(connection) as queries:
        api.get(f"{table}rows/")
        api.post(f"{table}rows/", {"Zone": "x"})
        api.post(f"{table}proposals/data/", {"operations": [{"action": "add", "data": {"Zone": "y"}}]})
        in_rows(api, table)
    assert not [query["sql"] for query in queries.captured_queries if 'FROM "accounts_profile"' in query["sql"]]
