"""Fields of a message to the assistant, through a real server."""
from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from chat.models import Conversation, Message, Turn
from tests.chat.stream_client import STREAM, Browser, turn_body
from tests.conftest import Api
from tests.retention_clock import tidy_after
from tests.scripted_model import Gate, ScriptedModel, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

Json = dict[str, Any]


def run_turn(browser: Browser, body: Json) -> list[Json]:
    with browser.open("POST", STREAM, body) as stream:
        assert stream.response.status == 200
        return list(stream)


def faults(answer: Json) -> list[str]:
    return [fault["path"] for fault in answer["errors"]]


@pytest.mark.parametrize("character", ["x", "é", "😀"])
def test_message_has_a_maximum_length_in_characters(
    browser: Browser, script: ScriptedModel, character: str
) -> None:
    script.add(say("That was long."))
    status, refused, _ = browser.request("POST", STREAM, turn_body(character * 32_001))
    events = run_turn(browser, turn_body(character * 32_000))

    assert (status, refused["error"], faults(refused)) == (400, "malformed", ["message"])
    assert events[-1]["type"] == "complete"
    assert script.requests[0]["messages"][-1]["content"][-1]["text"] == character * 32_000
    assert Message.objects.get(role="user").text == character * 32_000


@pytest.mark.parametrize("message", ["", " \n\t"])
def test_only_an_action_may_have_an_empty_message(browser: Browser, script: ScriptedModel, message: str) -> None:
    script.add(say("Picked."))
    status, refused, _ = browser.request("POST", STREAM, turn_body(message))
    picked = {"action": {"action": "pick", "data": {"n": 1}}, "interaction_type": "action_executed"}
    events = run_turn(browser, turn_body(message, **picked))

    assert (status, faults(refused)) == (400, ["message"])
    assert events[-1]["type"] == "complete"
    assert '[Chosen action: {"action":"pick","data":{"n":1}}]' in str(script.requests[0]["messages"][-1])


def test_request_without_a_conversation_creates_one(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("One."), say("Two."))
    first, second = (run_turn(browser, turn_body())[0]["conversation_id"] for _ in range(2))

    assert first != second
    assert len(script.requests[1]["messages"]) == 1


def test_source_of_a_message_is_stored(browser: Browser, api: Api, script: ScriptedModel) -> None:
    script.add(say("One."), say("Two."))
    conversation = run_turn(browser, turn_body())[0]["conversation_id"]
    run_turn(browser, turn_body("Two", conversation_id=conversation, interaction_type="value_selected"))

    messages = api.get(f"/api/chat/conversations/{conversation}/messages/").json()["messages"]
    kinds = [message["interaction_type"] for message in messages if message["role"] == "user"]
    assert kinds == ["text_input", "value_selected"]


def test_message_and_turn_are_stored_before_the_model_is_called(
    browser: Browser, api: Api, script: ScriptedModel
) -> None:
    gate = Gate()
    script.add(say("Yes.", gate=gate))
    with browser.open("POST", STREAM, turn_body("Are you there?")) as stream:
        conversation = stream.until("status")[0]["conversation_id"]
        assert gate.reached.wait(60)
        read = api.get(f"/api/chat/conversations/{conversation}/messages/").json()
        running = Turn.objects.get()
        gate.open()
        list(stream)

    assert [message["text"] for message in read["messages"]] == ["Are you there?"]
    assert (running.state, read["running_turn_id"]) == ("running", str(running.pk))


HISTORY = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
BESIDE_HISTORY = {
    "a conversation": ({"conversation_id": str(uuid4())}, "conversation_history"),
    "retry": ({"retry_of": str(uuid4()), "message": ""}, "conversation_history"),
    "system role": ({"conversation_history": [{"role": "system", "content": "x"}]}, "conversation_history[0].role"),
    "tool role": ({"conversation_history": [{"role": "tool", "content": "x"}]}, "conversation_history[0].role"),
    "no role": ({"conversation_history": [*HISTORY, {"content": "x"}]}, "conversation_history[2].role"),
}


@pytest.mark.parametrize("case", BESIDE_HISTORY)
def test_misplaced_history_is_refused(browser: Browser, case: str) -> None:
    fields, path = BESIDE_HISTORY[case]
    status, refused, _ = browser.request("POST", STREAM, {**turn_body(conversation_history=HISTORY), **fields})

    assert (status, faults(refused)) == (400, [path])
    assert not Conversation.objects.exists()


def test_page_is_required_and_the_nearest_one_is_suggested(browser: Browser) -> None:
    status, refused, _ = browser.request("POST", STREAM, turn_body(context={"current_page": "tables_lst"}))
    assert (status, faults(refused)) == (400, ["context.current_page"])
    assert "tables_list" in refused["detail"]
    status, refused, _ = browser.request("POST", STREAM, turn_body(context={}))
    assert (status, faults(refused)) == (400, ["context.current_page"])


@pytest.mark.parametrize("how", ["follow-up", "retry of the answer", "edited message", "new first message"])
def test_second_turn_of_a_conversation_is_refused_during_the_first(
    browser: Browser, script: ScriptedModel, how: str
) -> None:
    gate = Gate()
    script.add(say("One."), say("Two.", gate=gate))
    first = run_turn(browser, turn_body())[-1]["payload"]
    here = {"conversation_id": first["conversation_id"]}
    bodies = {
        "follow-up": turn_body(**here),
        "retry of the answer": turn_body("", retry_of=first["turn_id"]),
        "edited message": turn_body(parent_message_id=first["message_id"], **here),
        "new first message": turn_body(parent_message_id=None, **here),
    }
    with browser.open("POST", STREAM, turn_body("And?", **here)) as stream:
        running = stream.until("status")[0]["turn_id"]
        status, refused, _ = browser.request("POST", STREAM, bodies[how])
        gate.open()
        list(stream)

    assert (status, refused["error"], refused["turn_id"]) == (409, "turn_running", running)
    assert Turn.objects.count() == 2


def test_turn_in_another_conversation_starts_meanwhile(browser: Browser, script: ScriptedModel) -> None:
    gate = Gate()
    script.add(say("One.", gate=gate), say("Two."))
    with browser.open("POST", STREAM, turn_body()) as stream:
        stream.until("status")
        assert gate.reached.wait(60)
        assert run_turn(browser, turn_body())[-1]["payload"]["message"] == "Two."
        gate.open()
        assert list(stream)[-1]["payload"]["message"] == "One."


def test_turn_of_another_user_cannot_be_retried(
    browser: Browser, live_server_url: str, other_user: User, script: ScriptedModel
) -> None:
    script.add(say("Mine."))
    turn_id = run_turn(browser, turn_body())[0]["turn_id"]
    other = Browser(live_server_url, other_user)
    status, refused, _ = other.request("POST", STREAM, turn_body("", retry_of=turn_id))

    assert (status, refused["error"]) == (404, "not_found")
    assert Turn.objects.count() == 1


def test_parent_of_another_conversation_is_refused(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("One."), say("Two."))
    here = run_turn(browser, turn_body())[-1]["payload"]
    there = run_turn(browser, turn_body())[-1]["payload"]
    body = turn_body(conversation_id=here["conversation_id"], parent_message_id=there["message_id"])
    status, refused, _ = browser.request("POST", STREAM, body)

    assert (status, refused["error"]) == (404, "not_found")
    assert Turn.objects.count() == 2


@pytest.mark.parametrize(("hours", "whole"), [(23, True), (25, False)])
def test_repeated_message_is_answered_once_and_only_its_end_is_sent_after_a_day(
    browser: Browser, script: ScriptedModel, hours: int, whole: bool
) -> None:
    body = turn_body("Once")
    script.add(say("One two three", sizes=(4,)))
    events = run_turn(browser, body)
    tidy_after(hours=hours)

    assert run_turn(browser, body) == (events if whole else events[-1:])
    assert len(script.requests) == 1
    assert Turn.objects.count() == 1


def test_ended_turn_has_no_events_after_its_last(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("One."))
    events = run_turn(browser, turn_body())
    address = f"/api/chat/turns/{events[0]['turn_id']}/stream/"
    for after in (len(events), len(events) + 7):
        with browser.open("GET", address, **{"Last-Event-ID": str(after)}) as stream:
            assert (stream.response.status, list(stream)) == (200, [])


def test_ended_turn_cannot_be_cancelled(browser: Browser, api: Api, script: ScriptedModel) -> None:
    script.add(say("One."))
    turn_id = run_turn(browser, turn_body())[0]["turn_id"]
    status, stopped, _ = browser.request("POST", f"/api/chat/turns/{turn_id}/cancel/", {})

    assert (status, stopped) == (200, {"id": turn_id, "state": "complete"})
    assert api.get(f"/api/chat/turns/{turn_id}/").json()["state"] == "complete"
