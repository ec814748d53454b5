"""What a test's transaction cannot hold, streams and sockets: what is not yours is there, too, as if it were not."""
from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from tests.chat.stream_client import STREAM, Browser
from tests.flows.isolation_world import make_world
from tests.tables.consumers.sockets import real_page, session_of


@pytest.mark.parametrize("part", ["table_id", "conversation_id", "parent_message_id", "retry_of"])
def test_a_turn_about_what_is_not_yours_is_one_about_nothing(live_server_url: str, part: str) -> None:
    world = make_world()
    theirs = {**world.ids, "parent_message_id": world.ids["message_id"], "retry_of": world.ids["turn_id"]}
    before = world.picture()

    for who in ("grace", "boss"):
        browser, answers = Browser(live_server_url, User.objects.get(username=who)), []
        for value in (theirs[part], 10**9 if part == "table_id" else str(uuid4())):
            wish = {"message": "Hello", "client_turn_id": str(uuid4()), "context": {"current_page": "tables_list"}}
            about = {"context": {"current_page": "table_view", part: value}} if part == "table_id" else {part: value}
            status, answer, _ = browser.ask("POST", STREAM, {**wish, **about})
            answers.append((status, {**answer, "request_id": ""}))
        assert answers[0] == answers[1], who
        assert answers[0][0] in (400, 404), who

    assert world.picture() == before


def test_a_socket_to_anothers_table_ends_like_one_to_nothing(live_server_url: str) -> None:
    world = make_world()

    for session in ("", *(session_of(User.objects.get(username=name)) for name in ("grace", "boss"))):
        codes = []
        for table_id in (world.ids["table_id"], 10**9):
            with real_page(live_server_url, table_id, session=session) as page:
                codes.append(page.hear_close())
        assert codes == [codes[0]] * 2
