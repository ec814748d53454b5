"""What a message to the assistant may say beside its words, through a real server."""
from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from chat.models import Conversation, Message, Turn
from tests.chat.stream_client import STREAM, Browser, wish
from tests.conftest import Api
from tests.retention_clock import tidy_after
from tests.scripted_model import Gate, ScriptedModel, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

Json = dict[str, Any]


def answered(browser: Browser, body: Json) -> list[Json]:
    with browser.open("POST", STREAM, body) as stream:
        assert stream.response.status == 200
        return list(stream)


def faults(answer: Json) -> list[str]:
    return [fault["path"] for fault in answer["errors"]]


@pytest.mark.parametrize("character", ["x", "é", "😀"])
def test_a_message_may_have_as_many_characters_as_are_promised_and_not_one_more(
    browser: Browser, script: ScriptedModel, character: str
) -> None:
    script.add(say("That was long."))
    status, refused, _ = browser.ask("POST", STREAM, wish(character * 32_001))
    events = answered(browser, wish(character * 32_000))

    assert (status, refused["error"], faults(refused)) == (400, "malformed", ["message"])
    assert events[-1]["type"] == "complete"
    assert script.requests[0]["messages"][-1]["content"][-1]["text"] == character * 32_000
    assert Message.objects.get(role="user").text == character * 32_000


@pytest.mark.parametrize("message", ["", " \n\t"])
def test_only_an_action_needs_no_words(browser: Browser, script: ScriptedModel, message: str) -> None:
    script.add(say("Picked."))
    status, refused, _ = browser.ask("POST", STREAM, wish(message))
    picked = {"action": {"action": "pick", "data": {"n": 1}}, "interaction_type": "action_executed"}
    events = answered(browser, wish(message, **picked))

    assert (status, faults(refused)) == (400, ["message"])
    assert events[-1]["type"] == "complete"
    assert '[Chosen action: {"action":"pick","data":{"n":1}}]' in str(script.requests[0]["messages"][-1])


def test_without_a_conversation_a_new_one_begins_beside_the_latest(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("One."), say("Two."))
    first, second = (answered(browser, wish())[0]["conversation_id"] for _ in range(2))

    assert first != second
    assert len(script.requests[1]["messages"]) == 1


def test_how_a_message_came_about_is_on_record(browser: Browser, api: Api, script: ScriptedModel) -> None:
    script.add(say("One."), say("Two."))
    conversation = answered(browser, wish())[0]["conversation_id"]
    answered(browser, wish("Two", conversation_id=conversation, interaction_type="value_selected"))

    messages = api.get(f"/api/chat/conversations/{conversation}/messages/").json()["messages"]
    kinds = [message["interaction_type"] for message in messages if message["role"] == "user"]
    assert kinds == ["text_input", "value_selected"]


def test_message_and_turn_are_stored_before_the_model_is_asked(
    browser: Browser, api: Api, script: ScriptedModel
) -> None:
    gate = Gate()
    script.add(say("Yes.", gate=gate))
    with browser.open("POST", STREAM, wish("Are you there?")) as stream:
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
    "an answer again": ({"retry_of": str(uuid4()), "message": ""}, "conversation_history"),
    "a system's words": ({"conversation_history": [{"role": "system", "content": ""}]}, "conversation_history[0].role"),
    "a tool's words": ({"conversation_history": [{"role": "tool", "content": "x"}]}, "conversation_history[0].role"),
    "nobody's words": ({"conversation_history": [*HISTORY, {"content": "x"}]}, "conversation_history[2].role"),
}


@pytest.mark.parametrize("case", BESIDE_HISTORY)
def test_a_history_is_refused_where_it_does_not_belong(browser: Browser, case: str) -> None:
    fields, path = BESIDE_HISTORY[case]
    status, refused, _ = browser.ask("POST", STREAM, {**wish(conversation_history=HISTORY), **fields})

    assert (status, faults(refused)) == (400, [path])
    assert not Conversation.objects.exists()


def test_the_page_must_be_named_and_the_nearest_one_is(browser: Browser) -> None:
    status, refused, _ = browser.ask("POST", STREAM, wish(context={"current_page": "tables_lst"}))
    assert (status, faults(refused)) == (400, ["context.current_page"])
    assert "tables_list" in refused["detail"]
    status, refused, _ = browser.ask("POST", STREAM, wish(context={}))
    assert (status, faults(refused)) == (400, ["context.current_page"])


@pytest.mark.parametrize("how", ["said once more", "answered again", "said in other words", "said first"])
def test_while_one_answer_is_on_its_way_no_other_begins_in_its_conversation(
    browser: Browser, script: ScriptedModel, how: str
) -> None:
    gate = Gate()
    script.add(say("One."), say("Two.", gate=gate))
    first = answered(browser, wish())[-1]["payload"]
    here = {"conversation_id": first["conversation_id"]}
    bodies = {
        "said once more": wish(**here),
        "answered again": wish("", retry_of=first["turn_id"]),
        "said in other words": wish(parent_message_id=first["message_id"], **here),
        "said first": wish(parent_message_id=None, **here),
    }
    with browser.open("POST", STREAM, wish("And?", **here)) as stream:
        running = stream.until("status")[0]["turn_id"]
        status, refused, _ = browser.ask("POST", STREAM, bodies[how])
        gate.open()
        list(stream)

    assert (status, refused["error"], refused["turn_id"]) == (409, "turn_running", running)
    assert Turn.objects.count() == 2


def test_in_another_conversation_one_may_begin_meanwhile(browser: Browser, script: ScriptedModel) -> None:
    gate = Gate()
    script.add(say("One.", gate=gate), say("Two."))
    with browser.open("POST", STREAM, wish()) as stream:
        stream.until("status")
        assert gate.reached.wait(60)
        assert answered(browser, wish())[-1]["payload"]["message"] == "Two."
        gate.open()
        assert list(stream)[-1]["payload"]["message"] == "One."


def test_anothers_turn_cannot_be_answered_again(
    browser: Browser, live_server_url: str, other_user: User, script: ScriptedModel
) -> None:
    script.add(say("Mine."))
    turn_id = answered(browser, wish())[0]["turn_id"]
    other = Browser(live_server_url, other_user)
    status, refused, _ = other.ask("POST", STREAM, wish("", retry_of=turn_id))

    assert (status, refused["error"]) == (404, "not_found")
    assert Turn.objects.count() == 1


def test_a_message_of_another_conversation_cannot_be_followed(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("One."), say("Two."))
    here = answered(browser, wish())[-1]["payload"]
    there = answered(browser, wish())[-1]["payload"]
    body = wish(conversation_id=here["conversation_id"], parent_message_id=there["message_id"])
    status, refused, _ = browser.ask("POST", STREAM, body)

    assert (status, refused["error"]) == (404, "not_found")
    assert Turn.objects.count() == 2


@pytest.mark.parametrize(("hours", "whole"), [(23, True), (25, False)])
def test_a_message_sent_again_is_never_answered_twice_and_after_a_day_only_its_end_is_told(
    browser: Browser, script: ScriptedModel, hours: int, whole: bool
) -> None:
    body = wish("Once")
    script.add(say("One two three", sizes=(4,)))
    events = answered(browser, body)
    tidy_after(hours=hours)

    assert answered(browser, body) == (events if whole else events[-1:])
    assert len(script.requests) == 1
    assert Turn.objects.count() == 1


def test_after_its_last_event_an_ended_turn_has_nothing_more_to_tell(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("One."))
    events = answered(browser, wish())
    address = f"/api/chat/turns/{events[0]['turn_id']}/stream/"
    for after in (len(events), len(events) + 7):
        with browser.open("GET", address, **{"Last-Event-ID": str(after)}) as stream:
            assert (stream.response.status, list(stream)) == (200, [])


def test_a_turn_that_has_ended_cannot_be_stopped_any_more(browser: Browser, api: Api, script: ScriptedModel) -> None:
    script.add(say("One."))
    turn_id = answered(browser, wish())[0]["turn_id"]
    status, stopped, _ = browser.ask("POST", f"/api/chat/turns/{turn_id}/cancel/", {})

    assert (status, stopped) == (200, {"id": turn_id, "state": "complete"})
    assert api.get(f"/api/chat/turns/{turn_id}/").json()["state"] == "complete"
