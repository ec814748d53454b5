"""Rolling restarts under load lose nothing, and turns that cannot be finished end with an error."""
from __future__ import annotations

import signal
from contextlib import ExitStack
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import Message, OpenStreamCount, Turn
from tables.models import Row, Table
from tests.chat.stream_client import STREAM, turn_body
from tests.chatproject.production.cluster import Cluster, Server, Visitor, wait_until
from tests.chatproject.production.conftest import Replies
from tests.chatproject.production.page_load import LIST, Load

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres_only]

RESTARTING = 1012


def list_request(message: str) -> dict[str, Any]:
    return turn_body(message, context=LIST)


def restart(server: Server, *, cluster: Cluster, user: User, replies: Replies, load: Load) -> list[str]:
    """Restart a server during two answers, one of which has no reader any more; return the texts of both."""
    gate = replies.pause("Tell me")
    with ExitStack() as stack:
        page = stack.enter_context(cluster.socket("/ws/chat/", user=user, server=server))
        page.receive("here")
        visitor = Visitor(cluster, user, server=server)
        with visitor.open("POST", STREAM, list_request("Tell me without a reader")) as abandoned:
            unread_turn_id = abandoned.until("text_delta")[0]["turn_id"]
        followed = stack.enter_context(visitor.open("POST", STREAM, list_request("Tell me")))
        first_events = followed.until("text_delta")

        server.terminate()
        assert page.receive_close_code() == RESTARTING
        wait_until(lambda: not server.is_listening(), description="it accepts no connections")
        load.wait_for_progress()
        # Running turns can be followed through other servers.
        with Visitor(cluster, user).open("GET", f"/api/chat/turns/{first_events[0]['turn_id']}/stream/") as joined:
            assert joined.until("text_delta") == first_events
            assert server.is_running
            gate.open()
            types = [list(stream)[-1]["type"] for stream in (followed, joined)]
    assert types == ["complete"] * 2
    # uvicorn re-raises the signal that it received.
    assert server.wait() in (0, -signal.SIGTERM), server.output()
    replies.replies.clear()
    turns = Turn.objects.filter(pk__in=[first_events[0]["turn_id"], unread_turn_id])
    assert set(turns.values_list("state", flat=True)) == {"complete"}
    cluster.wait_until_ready()
    load.wait_for_progress()
    return [response.text for response in Message.objects.filter(turn__in=turns, role="assistant")]


def test_a_rolling_restart_under_load_loses_nothing(
    cluster: Cluster, replies: Replies, user: User, other_user: User, jobs: Table
) -> None:
    with Load(lambda: Visitor(cluster, user), table_id=jobs.pk) as load:
        load.wait_for_progress()
        for server in cluster.servers:
            texts = restart(server, cluster=cluster, user=other_user, replies=replies, load=load)
            assert texts == ["One two three"] * 2
            assert "Traceback" not in server.output()

    assert load.errors == []
    names = [next(iter(row.data.values())) for row in Row.objects.filter(table=jobs).order_by("pk")]
    assert sorted(names) == sorted(load.rows)
    assert {response["type"] for response in load.final_events} == {"complete"}
    assert Turn.objects.filter(user=user).count() == len(load.final_events)
    assert set(Turn.objects.values_list("state", flat=True)) == {"complete"}
    assert not OpenStreamCount.objects.exists()


def test_unfinished_turns_and_requests_without_a_server_get_errors(
    cluster: Cluster, replies: Replies, user: User
) -> None:
    server, other = cluster.servers
    turn_id = assert_interrupted(server, signals=2, user=user, cluster=cluster, replies=replies)
    retry = {**list_request("Again"), "retry_of": turn_id, "message": ""}
    with Visitor(cluster, user).open("POST", STREAM, retry) as stream:
        assert list(stream)[-1]["type"] == "complete"

    server.start(DRAIN_SECONDS="0")
    wait_until(server.is_ready, description="it is ready")
    assert_interrupted(server, signals=1, user=user, cluster=cluster, replies=replies)

    other.kill()
    status, response, headers = Visitor(cluster, user).request("POST", "/api/tables/", {"name": "Jobs"})
    assert (status, response["error"], headers["Retry-After"]) == (503, "unavailable", "2")


def assert_interrupted(server: Server, *, signals: int, user: User, cluster: Cluster, replies: Replies) -> str:
    """Stop the server with one or two signals during a turn; assert how the turn ends, and return its id."""
    replies.pause("Never end")
    with Visitor(cluster, user, server=server).open("POST", STREAM, list_request("Never end")) as stream:
        turn_id = str(stream.until("text_delta")[0]["turn_id"])
        server.terminate()
        if signals > 1:
            wait_until(lambda: not server.is_listening(), description="it accepts no connections")
            server.terminate()
        final = list(stream)[-1]
    replies.replies.clear()
    assert (final["type"], final.get("code"), server.wait()) == ("error", "interrupted", 0), server.output()
    # Immediately, and not only after the timeout for missing heartbeats.
    turn = Turn.objects.get(pk=turn_id)
    assert (turn.state, turn.error_code, turn.error_message) == ("error", "interrupted", final["message"])
    assert Message.objects.get(turn=turn, role="assistant").text == "One two"
    return turn_id
