"""Two servers on one database behave as one: a turn runs in one of them, the other follows and stops it."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from chat.models import Turn
from chat.turns.runtime import runtimes
from tests.chat.stream_client import STREAM, Browser, wish
from tests.scripted_model import Gate, ScriptedModel, say
from tests.server_cleanup import stop_server_work

pytestmark = pytest.mark.usefixtures("notes")


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def slow_script(script: ScriptedModel, gate: Gate) -> ScriptedModel:
    """Says a part, then waits at the gate."""
    script.add(say("One two three", sizes=(4,), gate=gate, gate_after=2))
    return script


@pytest.fixture(params=["Daphne runs it", "uvicorn runs it"])
def browsers(
    request: pytest.FixtureRequest, live_server_url: str, uvicorn_address: str, user: User
) -> tuple[Browser, Browser]:
    """At the server that runs the turn, and at the other."""
    both = Browser(live_server_url, user), Browser(uvicorn_address, user)
    return both if request.param == "Daphne runs it" else both[::-1]


def test_the_other_server_follows_the_turn_to_its_end(
    browsers: tuple[Browser, Browser], slow_script: ScriptedModel, gate: Gate
) -> None:
    here, there = browsers
    with here.open("POST", STREAM, wish()) as stream:
        begun = stream.until("text_delta")
        with there.open("GET", f"/api/chat/turns/{begun[0]['turn_id']}/stream/") as other:
            seen = other.until("text_delta")
            gate.open()
            seen += list(other)
        rest = list(stream)

    assert seen == begun + rest


def test_the_other_server_stops_a_turn_that_would_never_end(
    browsers: tuple[Browser, Browser], slow_script: ScriptedModel
) -> None:
    here, there = browsers
    with here.open("POST", STREAM, wish()) as stream:
        turn_id = stream.until("text_delta")[0]["turn_id"]
        there.ask("POST", f"/api/chat/turns/{turn_id}/cancel/", {})
        kinds = [event["type"] for event in stream]

    assert kinds[-1] == "cancelled"
    assert Turn.objects.get(pk=turn_id).state == "cancelled"


def test_a_message_to_the_other_server_waits_for_the_answer_here(
    browsers: tuple[Browser, Browser], slow_script: ScriptedModel, gate: Gate
) -> None:
    here, there = browsers
    with here.open("POST", STREAM, wish()) as stream:
        begun = stream.until("text_delta")
        again = wish(conversation_id=begun[0]["conversation_id"])
        status, answer, _ = there.ask("POST", STREAM, again)
        gate.open()
        list(stream)

    assert (status, answer["turn_id"]) == (409, begun[0]["turn_id"])


def test_a_conversation_that_is_deleted_stops_its_turn_wherever_it_runs(
    browsers: tuple[Browser, Browser], slow_script: ScriptedModel
) -> None:
    here, there = browsers
    with here.open("POST", STREAM, wish()) as stream:
        conversation_id = stream.until("text_delta")[0]["conversation_id"]
        with there.open("DELETE", f"/api/chat/conversations/{conversation_id}/") as deleting:
            assert deleting.response.status == 204
        kinds = [event["type"] for event in stream]

    assert kinds[-1] == "cancelled"


def test_what_is_left_running_at_them_ends_with_the_test(
    browsers: tuple[Browser, Browser], slow_script: ScriptedModel
) -> None:
    here, _ = browsers
    with here.open("POST", STREAM, wish()) as stream:
        turn_id = stream.until("text_delta")[0]["turn_id"]

    stop_server_work()

    assert Turn.objects.get(pk=turn_id).state == "error"
    assert [host for _, host in runtimes() if host.running or host.has_background_tasks] == []
    assert here.ask("GET", "/api/chat/conversations/?page=notes")[0] == 200
    assert [host.has_background_tasks for loop, host in runtimes()].count(True) == 1
