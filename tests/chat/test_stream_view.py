"""The stream through a real server: events as they are said, drops, joining again, stopping, refusals."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from chat.models import Message, Turn
from chat.turns.seams import use_transport
from tests.chat.browserlike import Browser
from tests.scripted import Gate, ScriptedModel, say

pytestmark = pytest.mark.usefixtures("notes")
STREAM = "/api/chat/stream/"
NOTE = {"current_page": "notes", "note_id": 7}

Json = dict[str, Any]


def wish(message: str = "Hello", **fields: Any) -> Json:
    return {"message": message, "context": NOTE, "client_turn_id": str(uuid4()), **fields}


def said(events: list[Json]) -> str:
    return "".join(event["text"] for event in events if event["type"] == "text_delta")


@pytest.fixture
def browser(live_server_url: str, user: User) -> Browser:
    return Browser(live_server_url, user)


@pytest.fixture
def script() -> Iterator[ScriptedModel]:
    script = ScriptedModel()
    with use_transport(script.transport()):
        yield script


def test_events_arrive_while_the_model_is_still_speaking(browser: Browser, script: ScriptedModel) -> None:
    gate = Gate()
    script.add(say("Hello there", sizes=(5, 6), gate=gate, gate_after=1))

    with browser.open("POST", STREAM, wish()) as stream:
        early = stream.until("text_delta")
        gate.open()
        rest = list(stream)

    assert said(early) == "Hello"
    assert said(early + rest) == rest[-1]["payload"]["message"] == "Hello there"


def test_the_answer_forbids_everybody_on_the_way_to_hold_it_back(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("Hi"))

    with browser.open("POST", STREAM, wish()) as stream:
        headers = stream.response.headers
        list(stream)

    assert headers["Content-Type"].startswith("text/event-stream")
    assert headers["Content-Encoding"] == "identity"
    assert headers["Cache-Control"] == "no-cache, no-store, no-transform"
    assert headers["X-Accel-Buffering"] == "no"


def test_a_client_that_drops_joins_again_and_misses_nothing(browser: Browser, script: ScriptedModel) -> None:
    gate = Gate()
    script.add(say("One two three", sizes=(4,), gate=gate, gate_after=2))
    with browser.open("POST", STREAM, wish()) as stream:
        first = [*stream.until("text_delta"), *stream.until("text_delta")]
        last_id, turn_id = stream.last_id, first[0]["turn_id"]
        stream.leave()
    gate.open()

    with browser.open("GET", f"/api/chat/turns/{turn_id}/stream/", **{"Last-Event-ID": str(last_id)}) as stream:
        rest = list(stream)

    assert said(first + rest) == "One two three"
    assert rest[-1]["type"] == "complete"


def test_an_ended_turn_is_replayed_from_any_event(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("One two", sizes=(3,)))
    with browser.open("POST", STREAM, wish()) as stream:
        events = list(stream)

    with browser.open("GET", f"/api/chat/turns/{events[0]['turn_id']}/stream/?after=2") as stream:
        again = list(stream)

    assert again == events[2:]


def test_a_turn_ends_without_anybody_listening(browser: Browser, script: ScriptedModel) -> None:
    gate = Gate()
    script.add(say("Hello there", sizes=(5,), gate=gate, gate_after=1))
    with browser.open("POST", STREAM, wish()) as stream:
        turn_id = stream.until("text_delta")[0]["turn_id"]
        stream.leave()

    gate.open()

    with browser.open("GET", f"/api/chat/turns/{turn_id}/stream/") as stream:
        assert list(stream)[-1]["payload"]["message"] == "Hello there"


def test_stop_ends_the_turn_and_the_next_one_works(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("Hello there", sizes=(5,), gate=Gate(), gate_after=1), say("Again."))
    with browser.open("POST", STREAM, wish()) as stream:
        first = stream.until("text_delta")
        status, answer, _ = browser.ask("POST", f"/api/chat/turns/{first[0]['turn_id']}/cancel/", {})
        rest = list(stream)

    with browser.open("POST", STREAM, wish("And?", conversation_id=first[0]["conversation_id"])) as stream:
        following = list(stream)

    assert (status, answer["state"]) == (200, "cancelled")
    assert [event["type"] for event in rest] == ["cancelled"]
    assert Message.objects.get(turn_id=first[0]["turn_id"], role="assistant").text == "Hello"
    assert following[-1]["payload"]["message"] == "Again."
    assert script.problems == []


def test_the_same_client_id_joins_the_turn_that_runs(browser: Browser, script: ScriptedModel) -> None:
    gate, body = Gate(), wish()
    script.add(say("Once", sizes=(2,), gate=gate, gate_after=1))

    with ExitStack() as stack:
        first = stack.enter_context(browser.open("POST", STREAM, body))
        begun = first.until("text_delta")
        second = stack.enter_context(browser.open("POST", STREAM, body))
        begun_again = second.until("text_delta")
        gate.open()
        ends = [list(first)[-1], list(second)[-1]]

    assert begun_again == begun
    assert ends[0] == ends[1]
    assert Turn.objects.count() == 1


def test_a_second_turn_while_one_runs_is_refused_with_its_id(browser: Browser, script: ScriptedModel) -> None:
    gate = Gate()
    script.add(say("Slowly", sizes=(2,), gate=gate, gate_after=1))
    with browser.open("POST", STREAM, wish()) as stream:
        begun = stream.until("text_delta")
        again = wish(conversation_id=begun[0]["conversation_id"])
        status, answer, _ = browser.ask("POST", STREAM, again)
        gate.open()
        list(stream)

    assert (status, answer["error"], answer["turn_id"]) == (409, "turn_running", begun[0]["turn_id"])


def test_a_fifth_open_stream_is_refused_for_a_while(browser: Browser, script: ScriptedModel) -> None:
    gate = Gate()
    script.add(*[say("Slowly", sizes=(2,), gate=gate, gate_after=1) for _ in range(4)], say("Free."))
    with ExitStack() as stack:
        streams = [stack.enter_context(browser.open("POST", STREAM, wish())) for _ in range(4)]
        for stream in streams:
            stream.until("text_delta")
        status, answer, headers = browser.ask("POST", STREAM, wish())
        gate.open()
        for stream in streams:
            list(stream)

    with browser.open("POST", STREAM, wish()) as stream:
        assert list(stream)[-1]["type"] == "complete"
    assert (status, answer["error"], headers["Retry-After"]) == (429, "too_many_requests", "5")


BAD_BODIES = {
    "no JSON": (b"{", 400),
    "doubled key": (b'{"message": "a", "message": "b"}', 400),
    "NaN": (b'{"message": NaN}', 400),
    "NUL": (b'{"message": "\\u0000"}', 400),
    "half a surrogate": (b'{"message": "\\ud800"}', 400),
    "no UTF-8": (b'{"message": "\xff"}', 400),
    "empty": (b"", 400),
    "a list": (b"[]", 400),
}


@pytest.mark.parametrize("case", BAD_BODIES)
def test_a_body_that_is_no_strict_json_is_refused(browser: Browser, case: str) -> None:
    body, expected = BAD_BODIES[case]

    status, answer, _ = browser.ask("POST", STREAM, body)

    assert status == expected
    assert {"error", "detail", "request_id"} <= set(answer)
    assert not Turn.objects.exists()


REFUSALS = {
    "form data": ("POST", STREAM, {"Content-Type": "text/plain"}, 415, "unsupported_media_type"),
    "wrong method": ("GET", STREAM, {}, 405, "method_not_allowed"),
    "unknown turn": ("GET", "/api/chat/turns/x/stream/", {}, 404, "not_found"),
    "unknown turn to stop": ("POST", "/api/chat/turns/x/cancel/", {}, 404, "not_found"),
    "no number": ("GET", "/api/chat/turns/x/stream/?after=-1", {}, 400, "malformed"),
    "unknown parameter": ("GET", "/api/chat/turns/x/stream/?afer=1", {}, 400, "unknown_field"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_other_calls_that_do_not_fit_are_refused_in_the_one_shape(browser: Browser, case: str) -> None:
    method, path, headers, expected, code = REFUSALS[case]

    status, answer, _ = browser.ask(method, path, wish() if method == "POST" else None, **headers)

    assert (status, answer["error"]) == (expected, code)


def test_an_object_that_is_not_ones_own_is_a_404_before_there_is_a_turn(browser: Browser) -> None:
    body = {**wish(), "context": {"current_page": "notes", "note_id": "secret"}}

    status, answer, _ = browser.ask("POST", STREAM, body)

    assert (status, answer["error"]) == (404, "not_found")
    assert not Turn.objects.exists()


def test_somebody_elses_turn_is_neither_read_nor_stopped(
    browser: Browser, live_server_url: str, other_user: User, script: ScriptedModel
) -> None:
    script.add(say("Mine"))
    with browser.open("POST", STREAM, wish()) as stream:
        turn_id = list(stream)[-1]["payload"]["turn_id"]
    other = Browser(live_server_url, other_user)

    answers = [
        other.ask("GET", f"/api/chat/turns/{turn_id}/stream/"),
        other.ask("POST", f"/api/chat/turns/{turn_id}/cancel/", {}),
        other.ask("GET", f"/api/chat/turns/{turn_id}/"),
    ]

    assert [status for status, _, _ in answers] == [404, 404, 404]


def test_nobody_talks_without_signing_in(live_server_url: str) -> None:
    status, answer, _ = Browser(live_server_url).ask("POST", STREAM, wish())

    assert (status, answer["error"]) == (401, "not_authenticated")


def test_a_call_from_a_foreign_page_is_refused(live_server_url: str, user: User) -> None:
    status, answer, _ = Browser(live_server_url, user, csrf=False).ask("POST", STREAM, wish())

    assert (status, answer["error"]) == (403, "forbidden")
