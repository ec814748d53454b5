"""Two servers with one database: one runs a turn, the other follows and cancels it."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from chat.models import Turn
from chat.turns.runtime import runtimes
from tests.chat.stream_client import STREAM, Browser, turn_body
from tests.scripted_model import Gate, ScriptedModel, say
from tests.server_cleanup import stop_server_work

pytestmark = pytest.mark.usefixtures("notes")


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def slow_script(script: ScriptedModel, gate: Gate) -> ScriptedModel:
    """A model that sends a part, then waits at the gate."""
    script.add(say("One two three", sizes=(4,), gate=gate, gate_after=2))
    return script


@pytest.fixture(params=["Daphne runs it", "uvicorn runs it"])
def browsers(
    request: pytest.FixtureRequest, live_server_url: str, uvicorn_address: str, user: User
) -> tuple[Browser, Browser]:
    """The browsers at the server that runs the turn, and at the other one."""
    both = Browser(live_server_url, user), Browser(uvicorn_address, user)
    return both if request.param == "Daphne runs it" else both[::-1]


def test_other_server_follows_the_turn_to_its_end(
    browsers: tuple[Browser, Browser], slow_script: ScriptedModel, gate: Gate
) -> None:
    running, other_server = browsers
    with running.open("POST", STREAM, turn_body()) as stream:
        begun = stream.until("text_delta")
        with other_server.open("GET", f"/api/chat/turns/{begun[0]['turn_id']}/stream/") as other:
            seen = other.until("text_delta")
            gate.open()
            seen += list(other)
        rest = list(stream)

    assert seen == begun + rest


def test_other_server_cancels_an_endless_turn(
    browsers: tuple[Browser, Browser], slow_script: ScriptedModel
) -> None:
    running, other_server = browsers
    with running.open("POST", STREAM, turn_body()) as stream:
        turn_id = stream.until("text_delta")[0]["turn_id"]
        other_server.request("POST", f"/api/chat/turns/{turn_id}/cancel/", {})
        kinds = [event["type"] for event in stream]

    assert kinds[-1] == "cancelled"
    assert Turn.objects.get(pk=turn_id).state == "cancelled"


def test_message_to_the_other_server_is_refused_during_a_turn(
    browsers: tuple[Browser, Browser], slow_script: ScriptedModel, gate: Gate
) -> None:
    running, other_server = browsers
    with running.open("POST", STREAM, turn_body()) as stream:
        begun = stream.until("text_delta")
        again = turn_body(conversation_id=begun[0]["conversation_id"])
        status, answer, _ = other_server.request("POST", STREAM, again)
        gate.open()
        list(stream)

    assert (status, answer["turn_id"]) == (409, begun[0]["turn_id"])


def test_deleted_conversation_stops_its_turn_on_the_other_server(
    browsers: tuple[Browser, Browser], slow_script: ScriptedModel
) -> None:
    running, other_server = browsers
    with running.open("POST", STREAM, turn_body()) as stream:
        conversation_id = stream.until("text_delta")[0]["conversation_id"]
        with other_server.open("DELETE", f"/api/chat/conversations/{conversation_id}/") as deleting:
            assert deleting.response.status == 204
        kinds = [event["type"] for event in stream]

    assert kinds[-1] == "cancelled"


def test_running_turns_end_with_the_test(
    browsers: tuple[Browser, Browser], slow_script: ScriptedModel
) -> None:
    running, _ = browsers
    with running.open("POST", STREAM, turn_body()) as stream:
        turn_id = stream.until("text_delta")[0]["turn_id"]

    stop_server_work()

    assert Turn.objects.get(pk=turn_id).state == "error"
    assert [host for _, host in runtimes() if host.running or host.has_background_tasks] == []
    assert running.request("GET", "/api/chat/conversations/?page=notes")[0] == 200
    assert [host.has_background_tasks for loop, host in runtimes()].count(True) == 1
