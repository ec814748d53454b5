"""Every address, by every method, for everybody who might try: what is not yours is as if it were not there."""
from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tokens import make_token
from tests.conftest import Api
from tests.flows.addresses import INNER, METHODS, OWNED, PERSONAL, PUBLIC, UNKNOWN, bodies, every_address
from tests.proposing import rows_proposal
from tests.tables.shared import first, make_table

Json = dict[str, Any]
STRANGERS = ("anonymous", "another user", "another user's token", "staff without rights")
# What may be answered about what is not there: to those signed in (a description of the address, too), to others.
NOTHING = {False: (200, 302, 403, 404, 405), True: (302, 401, 405)}
# Works outside the transaction of a test: tests/chat/test_stream_refusals.py asks it at a real server.
STREAMED = ("chat_stream", "POST")
INSIDE = {name for name, route in every_address() if any(f":{key}>" in route for key in INNER)}
LIMITS = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")
OF_THE_REQUEST = (*LIMITS, "x-request-id", "set-cookie")


@dataclass
class World:
    """What ada owns, by the names the addresses have for it; grace's own table; and who might try."""

    ada: Api
    ids: Json
    own: Json
    actors: dict[str, Client]

    def picture(self) -> list[Any]:
        """Everything of ada's that somebody might have changed."""
        table = f"/api/tables/{self.ids['table_id']}/"
        paths = ["/api/tables/", "/api/chat/conversations/"]
        paths += [f"{table}{part}" for part in ("", "rows/", "changes/", "members/")]
        paths += [f"/api/chat/{kind}s/{self.ids[f'{kind}_id']}/" for kind in ("payload", "conversation", "turn")]
        tokens = [token["id"] for token in self.ada.get("/api/tokens/").json()["tokens"]]
        return [*(self.ada.get(path).json() for path in paths), tokens]


def bearer(user: User, *, scope: str) -> tuple[Client, int]:
    token, secret = make_token(user=user, name=scope, now=timezone.now(), scope=scope)
    return Client(headers={"Authorization": f"Bearer {secret}"}), token.pk


@pytest.fixture
def world(api: Api, other_api: Api, user: User, make_user: Callable[[str], User]) -> World:
    table, own = make_table(api), make_table(other_api)
    make_user("mary")
    api.post(f"{table}members/", {"user": "mary", "role": "viewer"})
    api.post(f"{table}members/", {"role": "viewer"})
    inside = {f"{key}_id": value for key, value in first(api, table).items()}
    payload = rows_proposal(user, {"action": "add", "data": {"Company": "Crux"}}, table_id=int(table.split("/")[3]))
    reading, token_id = bearer(user, scope="read")
    staff = Api(User.objects.create_user("boss", is_staff=True))
    assert other_api.user is not None
    return World(
        ada=api,
        ids={
            **inside,
            "table_id": int(table.split("/")[3]),
            "token_id": token_id,
            "name": "mary",
            "invitation_id": api.get(f"{table}members/").json()["invitations"][0]["id"],
            "payload_id": str(payload.pk),
            "conversation_id": str(payload.conversation_id),
            "turn_id": str(payload.turn_id),
        },
        own={"table_id": int(own.split("/")[3])},
        actors={
            "anonymous": Client(),
            "another user": other_api.client,
            "another user's token": bearer(other_api.user, scope="write")[0],
            "staff without rights": staff.client,
            "ada's token for reading": reading,
        },
    )


def send(client: Client, name: str, method: str, *, ids: Json) -> Any:
    given = {key: ids.get(key, UNKNOWN[key]) for key in re.findall(r"<(?:\w+:)?(\w+)>", dict(every_address())[name])}
    if method in ("GET", "HEAD", "OPTIONS"):
        return client.generic(method, reverse(name, kwargs=given))
    body = json.dumps(bodies(name, method=method, ids={**UNKNOWN, **ids}))
    return client.generic(method, reverse(name, kwargs=given), body, content_type="application/json")


def told(response: Any) -> Any:
    """All that an answer tells, but for what belongs to the request: its id, its limits, its own address."""
    path = response.request["PATH_INFO"]
    body = response.content.decode().replace(path, "…")
    if response.headers["Content-Type"] == "application/json" and body.startswith("{"):
        body = {key: value for key, value in json.loads(body).items() if key != "request_id"}
    headers = {
        key: value.replace(path, "…") for key, value in response.headers.items() if key.lower() not in OF_THE_REQUEST
    }
    return response.status_code, body, headers


def test_every_address_is_known_to_belong_to_somebody() -> None:
    named = {name for name, _ in every_address()}
    assert named ^ (PUBLIC | PERSONAL | OWNED) == set()


@pytest.mark.parametrize("name", sorted(OWNED))
def test_what_is_not_yours_answers_like_what_is_not_there(world: World, name: str) -> None:
    before = world.picture()

    for method in METHODS:
        for who in STRANGERS if (name, method) != STREAMED else STRANGERS[:1]:
            theirs, missing = (send(world.actors[who], name, method, ids=ids) for ids in (world.ids, {}))
            assert told(theirs) == told(missing), (method, who)
            assert theirs.status_code in NOTHING[who == "anonymous"], (method, who)
        if name in INSIDE:
            of_ada = {key: world.ids[key] for key in INNER}
            in_own, missing = (
                send(world.actors["another user"], name, method, ids={**world.own, **inner}) for inner in (of_ada, {})
            )
            assert told(in_own) == told(missing), (method, "inside a table of their own")

    assert world.picture() == before


@pytest.mark.parametrize("name", sorted(OWNED | PERSONAL))
def test_a_token_for_reading_changes_nothing(world: World, name: str) -> None:
    before = world.picture()
    client = world.actors["ada's token for reading"]
    is_api = dict(every_address())[name].startswith("api/")

    for method in ("POST", "PUT", "PATCH", "DELETE"):
        answer = send(client, name, method, ids=world.ids)
        assert answer.status_code in ((403,) if is_api else (302, 405)), method

    assert world.picture() == before


@pytest.mark.parametrize("name", sorted(OWNED - {"chat_turn_stream", "chat_turn_trace"}))
def test_its_owner_finds_it(world: World, name: str) -> None:
    assert send(world.ada.client, name, "GET", ids=world.ids).status_code in (200, 405)


@pytest.mark.parametrize("name", sorted(PERSONAL))
def test_nobody_is_let_in_unnamed(world: World, name: str) -> None:
    for method in METHODS:
        answer = send(world.actors["anonymous"], name, method, ids={})
        assert answer.status_code in (302, 401, 405), method


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_what_is_open_to_all_breaks_for_nobody(world: World, name: str) -> None:
    for client in world.actors.values():
        for method in METHODS:
            assert send(client, name, method, ids={}).status_code in (200, 302, 400, 403, 404, 405, 410), method
