"""Streams and WebSockets: objects of other users do not exist."""
from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from tests.chat.stream_client import STREAM, Browser
from tests.flows.isolation_world import make_world
from tests.tables.consumers.sockets import real_page, session_of


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
