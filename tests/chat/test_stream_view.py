"""The stream through a real server: live events, reconnects, cancellation, refusals."""
from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from chat.models import Message, Turn
from tests.chat.stream_client import STREAM, Browser, turn_body
from tests.scripted_model import Gate, ScriptedModel, say, use

pytestmark = pytest.mark.usefixtures("notes")# More than the pool has.
MANY = 24

Json = dict[str, Any]


def text_of(events: list[Json]) -> str:
    return "".join(event["text"] for event in events if event["type"] == "text_delta")


def test_events_arrive_while_the_model_is_streaming(browser: Browser, script: ScriptedModel) -> None:
    gate = Gate()
    script.add(say("Hello there", sizes=(5, 6), gate=gate, gate_after=1))

    with browser.open("POST", STREAM, turn_body()) as stream:
        early = stream.until("text_delta")
        gate.open()
        rest = list(stream)

    assert text_of(early) == "Hello"
    assert text_of(early + rest) == rest[-1]["payload"]["message"] == "Hello there"


def test_response_headers_forbid_buffering(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("Hi"))

    with browser.open("POST", STREAM, turn_body()) as stream:
        headers = stream.response.headers
        list(stream)

    assert headers["Content-Type"].startswith("text/event-stream")
    assert headers["Content-Encoding"] == "identity"
    assert headers["Cache-Control"] == "no-cache, no-store, no-transform"
    assert headers["X-Accel-Buffering"] == "no"


def test_reconnected_client_misses_no_event(browser: Browser, script: ScriptedModel) -> None:
    gate = Gate()
    script.add(say("One two three", sizes=(4,), gate=gate, gate_after=2))
    with browser.open("POST", STREAM, turn_body()) as stream:
        first = [*stream.until("text_delta"), *stream.until("text_delta")]
        last_id, turn_id = stream.last_id, first[0]["turn_id"]
        stream.close()
    gate.open()

    with browser.open("GET", f"/api/chat/turns/{turn_id}/stream/", **{"Last-Event-ID": str(last_id)}) as stream:
        rest = list(stream)

    assert text_of(first + rest) == "One two three"
    assert rest[-1]["type"] == "complete"


def test_ended_turn_is_replayed_from_any_event(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("One two", sizes=(3,)))
    with browser.open("POST", STREAM, turn_body()) as stream:
        events = list(stream)

    path = f"/api/chat/turns/{events[0]['turn_id']}/stream/"
    with browser.open("GET", f"{path}?after=2") as stream:
        again = list(stream)

    assert again == events[2:]
    status, refused, *_ = browser.request("GET", path, **{"Last-Event-ID": "abc"})
    assert (status, [(each["path"], each["code"]) for each in refused["errors"]]) == (
        400, [("Last-Event-ID", "not_whole")],
    )  # fmt: skip


def test_turn_ends_without_a_client(browser: Browser, script: ScriptedModel) -> None:
    gate = Gate()
    script.add(say("Hello there", sizes=(5,), gate=gate, gate_after=1))
    with browser.open("POST", STREAM, turn_body()) as stream:
        turn_id = stream.until("text_delta")[0]["turn_id"]
        stream.close()

    gate.open()

    with browser.open("GET", f"/api/chat/turns/{turn_id}/stream/") as stream:
        assert list(stream)[-1]["payload"]["message"] == "Hello there"


def test_cancelled_turn_ends_and_the_next_one_works(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("Hello there", sizes=(5,), gate=Gate(), gate_after=1), say("Again."))
    with browser.open("POST", STREAM, turn_body()) as stream:
        first = stream.until("text_delta")
        status, answer, _ = browser.request("POST", f"/api/chat/turns/{first[0]['turn_id']}/cancel/", {})
        rest = list(stream)

    with browser.open("POST", STREAM, turn_body("And?", conversation_id=first[0]["conversation_id"])) as stream:
        following = list(stream)

    assert (status, answer["state"]) == (200, "cancelled")
    assert [event["type"] for event in rest] == ["cancelled"]
    assert Message.objects.get(turn_id=first[0]["turn_id"], role="assistant").text == "Hello"
    assert following[-1]["payload"]["message"] == "Again."
    assert script.problems == []


def test_same_client_id_follows_the_running_turn(browser: Browser, script: ScriptedModel) -> None:
    gate, body = Gate(), turn_body()
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


def test_an_idempotency_key_starts_one_turn_and_joins_it(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("Hi"), say("Other"))
    body, key = {**turn_body(), "client_turn_id": None}, {"Idempotency-Key": "one"}

    refused = browser.request("POST", STREAM, {**body, "message": ""}, **key)
    with browser.open("POST", STREAM, body, **key) as stream:
        first = list(stream)
    with browser.open("POST", STREAM, body, **key) as stream:
        second = list(stream)
    reused = browser.request("POST", STREAM, {**body, "message": "Another"}, **key)
    malformed = browser.request("POST", STREAM, body, **{"Idempotency-Key": ""})

    assert (refused[0], refused[1]["error"]) == (400, "malformed")
    assert (first, Turn.objects.count()) == (second, 1)
    assert (reused[0], reused[1]["error"]) == (422, "idempotency_key_reused")
    assert (malformed[0], malformed[1]["error"]) == (400, "bad_idempotency_key")


def test_second_turn_while_one_runs_is_refused_with_its_id(browser: Browser, script: ScriptedModel) -> None:
    gate = Gate()
    script.add(say("Slowly", sizes=(2,), gate=gate, gate_after=1))
    with browser.open("POST", STREAM, turn_body()) as stream:
        begun = stream.until("text_delta")
        again = turn_body(conversation_id=begun[0]["conversation_id"])
        status, answer, _ = browser.request("POST", STREAM, again)
        gate.open()
        list(stream)

    assert (status, answer["error"], answer["turn_id"]) == (409, "turn_running", begun[0]["turn_id"])


def test_fifth_open_stream_is_refused(browser: Browser, script: ScriptedModel) -> None:
    gate = Gate()
    script.add(*[say("Slowly", sizes=(2,), gate=gate, gate_after=1) for _ in range(4)], say("Free."))
    with ExitStack() as stack:
        streams = [stack.enter_context(browser.open("POST", STREAM, turn_body())) for _ in range(4)]
        for stream in streams:
            stream.until("text_delta")
        status, answer, headers = browser.request("POST", STREAM, turn_body())
        gate.open()
        for stream in streams:
            list(stream)

    with browser.open("POST", STREAM, turn_body()) as stream:
        assert list(stream)[-1]["type"] == "complete"
    assert (status, answer["error"], headers["Retry-After"]) == (429, "too_many_requests", "5")


def test_concurrent_streams_beyond_four_are_refused(browser: Browser, script: ScriptedModel) -> None:
    gate = Gate()
    script.add(*[say("Slowly", gate=gate) for _ in range(12)])
    requests = [browser.open("POST", STREAM, turn_body()) for _ in range(12)]
    with ThreadPoolExecutor(12) as pool, ExitStack() as stack:
        streams = list(pool.map(stack.enter_context, requests))
        gate.open()
        for stream in streams:
            stream.response.read()

    assert sorted(stream.response.status for stream in streams) == [200] * 4 + [429] * 8
    assert Turn.objects.count() == 4


def test_sdk_streams_small_pieces_from_a_real_server(
    browser: Browser, settings: Any, user: User
) -> None:
    text = 'Two groups, as you wished.\n\n**NOTE_PROPOSAL**:\n```json\n{"names": ["n]or}th", "south"]}\n```'
    script = ScriptedModel(
        use(("echo", {"say": "hi"}), text="Let me look. ", sizes=(1, 4, 2)), say(text, sizes=(1, 2, 3, 4, 5, 6, 7))
    )
    with script.serve() as base_url:
        settings.ANTHROPIC_BASE_URL = base_url
        with browser.open("POST", STREAM, turn_body()) as stream:
            events = list(stream)

    final = events[-1]["payload"]
    assert text_of(events) == final["message"] == "Let me look. [[tool:0]]Two groups, as you wished."
    assert final["custom_payload"]["data"] == {"names": ["n]or}th", "south"]}
    assert script.problems == []


@pytest.mark.postgres_only
def test_open_streams_may_exceed_the_database_connections(
    live_server_url: str, make_user: Any, script: ScriptedModel
) -> None:
    gate = Gate()
    script.add(*[say("Slowly", sizes=(2,), gate=gate, gate_after=1) for _ in range(MANY)])
    with ExitStack() as stack:
        streams = []
        for number in range(MANY):
            browser = Browser(live_server_url, make_user(f"person{number}"))
            streams.append(stack.enter_context(browser.open("POST", STREAM, turn_body())))
        for stream in streams:
            stream.until("text_delta")
        in_use = connections_in_use()
        gate.open()
        for stream in streams:
            list(stream)

    assert in_use < MANY


def connections_in_use() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        return int(cursor.fetchone()[0])
