"""Streams and WebSockets: objects of other users do not exist."""
from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from tables.models import Table
from tests.chat.stream_client import STREAM, Browser
from tests.flows.isolation_world import make_world
from tests.tables.consumers.sockets import real_page, session_of

USERS = ("ada", "mary", "edith", "grace", "boss")


@pytest.mark.parametrize("part", ["table_id", "conversation_id", "parent_message_id", "retry_of"])
def test_turn_about_an_inaccessible_object_is_refused_like_a_missing_one(live_server_url: str, part: str) -> None:
    world = make_world()
    ids = {**world.ids, "parent_message_id": world.ids["message_id"], "retry_of": world.ids["turn_id"]}
    before = world.snapshot()

    for username in ("grace", "boss"):
        browser, answers = Browser(live_server_url, User.objects.get(username=username)), []
        for value in (ids[part], 10**9 if part == "table_id" else str(uuid4())):
            body = {"message": "Hello", "client_turn_id": str(uuid4()), "context": {"current_page": "tables_list"}}
            about = {"context": {"current_page": "table_view", part: value}} if part == "table_id" else {part: value}
            status, answer, _ = browser.request("POST", STREAM, {**body, **about})
            answers.append((status, {**answer, "request_id": ""}))
        assert answers[0] == answers[1], username
        assert answers[0][0] in (400, 404), username

    assert world.snapshot() == before


def test_socket_of_an_inaccessible_table_closes_like_that_of_a_missing_one(live_server_url: str) -> None:
    world = make_world()

    for session in ("", *(session_of(User.objects.get(username=name)) for name in ("grace", "boss"))):
        codes = []
        for table_id in (world.ids["table_id"], 10**9):
            with real_page(live_server_url, table_id, session=session) as page:
                codes.append(page.receive_close_code())
        assert codes == [codes[0]] * 2


def event_stream(url: str, table_id: int, **headers: str) -> tuple[int, Any]:
    """Return status, and the first event or the error, of a client's event stream of a table."""
    client = Browser(url)
    client.headers = headers
    with client.open("GET", f"/api/tables/{table_id}/events/") as stream:
        if stream.response.status == 200:
            return 200, next(iter(stream))
        body = json.loads(stream.response.read())
        return stream.response.status, {**body, "request_id": ""}


def test_events_of_an_inaccessible_table_are_missing_and_readers_receive_them(live_server_url: str) -> None:
    world = make_world()
    table_id, version = world.ids["table_id"], Table.objects.get(pk=world.ids["table_id"]).version
    clients = {name: {"Cookie": f"sessionid={session_of(User.objects.get(username=name))}"} for name in USERS}
    clients |= {scope: {"Authorization": f"Bearer {secret}"} for scope, secret in world.secrets.items()}

    for name, headers in clients.items():
        own, missing = (event_stream(live_server_url, each, **headers) for each in (table_id, 10**9))
        assert missing[0] == 404, name
        assert own == (missing if name in ("grace", "boss") else (200, {"type": "ready", "version": version})), name
    assert event_stream(live_server_url, table_id)[0] == 401


def test_a_program_continues_after_the_last_event_it_received(live_server_url: str) -> None:
    world = make_world()
    table_id = world.ids["table_id"]
    client = Browser(live_server_url)
    client.headers = {"Authorization": f"Bearer {world.secrets['read']}"}
    path = f"/api/tables/{table_id}/events/"
    with client.open("GET", path) as stream:
        ready = next(iter(stream))
        world.ada.post(f"/api/tables/{table_id}/rows/", {"Company": "Bolt"})
        live = next(iter(stream))
    with client.open("GET", path, **{"Last-Event-ID": str(ready["version"])}) as stream:
        missed = next(iter(stream))
    refused = client.request("GET", path, **{"Last-Event-ID": "x"})

    assert (live["type"], live["version"]) == ("change", ready["version"] + 1)
    assert missed == live
    assert (refused[0], [fault["path"] for fault in refused[1]["errors"]]) == (400, ["Last-Event-ID"])
    assert client.request("GET", path, Accept="text/html")[0] == 406
