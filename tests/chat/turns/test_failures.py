"""Every failure of a provider over HTTP: one final event with its code, no forbidden effect, no traceback, and a valid
next request."""
from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import Group, User
from django.test import override_settings

from chat.agent import model
from chat.agent.clock import Clock
from chat.models import Turn
from chat.selectors import retry_after_of
from chat.services import TurnRequest
from chat.turns.event_stream import EventStream
from chat.turns.runtime import TurnRuntime
from chat.turns.start import start_turn_task
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import answer_of, events_of, next_request
from tests.fast_clock import FastClock
from tests.scripted_model import Reply, ScriptedModel, refuse, say, use

Json = dict[str, Any]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

MAKE = ("make_group", {"name": "made"})
OVERLOADED = {"type": "overloaded_error", "message": "sk-secret is overloaded"}
WHOLE = 'NOTE_PROPOSAL: {"names": ["north"]}'


def wire(*events: Json, named: bool = True) -> Reply:
    """Return a reply of these raw events, with or without the `event:` lines."""
    lines = [(f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n" for event in events]
    return Reply(body="".join(lines).encode())


MESSAGE = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "m", "stop_reason": None}
START = {"type": "message_start", "message": {**MESSAGE, "usage": {"input_tokens": 1, "output_tokens": 1}}}
BLOCK = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
DELTA = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello"}}
END = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}
STOP = {"type": "message_stop"}


@dataclass(frozen=True)
class Case:
    """Replies, and how the turn ends: its final event, the error's code, or words of the message."""

    replies: tuple[Reply, ...]
    final: str = "complete"
    code: str = ""
    words: str = ""
    calls: int = 1
    made: int = 0


def fails(*replies: Reply, code: str, calls: int = 1, words: str = "") -> Case:
    return Case(replies, final="error", code=code, calls=calls, words=words)


STOPS = {
    "refusal": Case((say("I will n", stop_reason="refusal"),), words="declined"),
    "refusal without text": Case((Reply(stop_reason="refusal"),), words="declined"),
    "refusal with a proposal": Case((say(WHOLE, stop_reason="refusal"),), words="declined"),
    "refusal with a tool": Case((use(MAKE, stop_reason="refusal"),), words="declined"),
    "context overflow": fails(say("Half", stop_reason="model_context_window_exceeded"), code="context_too_long"),
    "context overflow with a tool": fails(
        use(MAKE, stop_reason="model_context_window_exceeded"), code="context_too_long"
    ),
    "stop sequence": Case((say("Yes", stop_reason="stop_sequence"),), words="Yes"),
    "pause": Case((say("One, ", stop_reason="pause_turn"), say("two.")), words="One, two.", calls=2),
    "pause without text": Case((Reply(stop_reason="pause_turn"), say("Yes.")), words="Yes.", calls=2),
    "pause with a tool": Case((use(MAKE, stop_reason="pause_turn"), say("Yes.")), words="Yes.", calls=2),
    "pauses without end": Case((say("On. ", stop_reason="pause_turn"),) * 9, words="On.", calls=7),
    "max_tokens": Case((say("Half", stop_reason="max_tokens"), say(" and half.")), words="Half and half.", calls=2),
    "max_tokens without end": Case((say("On. ", stop_reason="max_tokens"),) * 9, words="On. On. On.", calls=3),
    "max_tokens in a tool": Case((use(MAKE, stop_reason="max_tokens"), say("Not done.")), words="Not done.", calls=2),
    "max_tokens in a proposal": Case(
        (say(WHOLE[:-9], stop_reason="max_tokens"), say(WHOLE)), calls=2, words=""
    ),
    "unknown": Case((say("Half", stop_reason="tired"), say(".")), words="Half.", calls=2),
    "unknown with a tool": Case((use(MAKE, stop_reason="tired"), say("Not done.")), words="Not done.", calls=2),
    "missing": Case((say("Half", ending="cut"), say(".")), words="Half.", calls=2),
    "missing after a tool": Case((use(MAKE, ending="cut"), say("Not done.")), words="Not done.", calls=2),
    "tool_use": Case((use(MAKE), say("Done.")), words="Done.", calls=2, made=1),
    "tool_use without a tool": Case((say("Hm.", stop_reason="tool_use"),), words="Hm."),
    "tools without end": Case((use(MAKE), *[use(("echo", {}))] * 9), words="[[tool:0]]", calls=5, made=1),
}
FAILURES = {
    "overloaded in the middle": fails(say("Half", ending="error", error=OVERLOADED), code="provider_overloaded"),
    "overloaded before any text": fails(
        *[Reply(ending="error", error=OVERLOADED)] * 3, code="provider_overloaded", calls=3
    ),
    "overloaded three times": fails(
        *[refuse(529, kind="overloaded_error")] * 3, code="provider_overloaded", calls=3
    ),
    "overloaded once": Case((refuse(529, kind="overloaded_error"), say("Yes.")), words="Yes.", calls=2),
    "long retry time": fails(refuse(429, kind="rate_limit_error", retry_after=3600), code="rate_limited"),
    "short retry time": Case(
        (refuse(429, kind="rate_limit_error", retry_after=3), say("Yes.")), words="Yes.", calls=2
    ),
    "connection breaks in the text": Case(
        (say("Half", ending="drop"), say(" and half.")), words="Half and half.", calls=2
    ),
    "connection breaks in a tool": fails(use(MAKE, sizes=(3,), ending="drop"), code="provider_unreachable"),
    "connection breaks in a tool after text": Case(
        (use(MAKE, text="Wait. ", sizes=(6,), ending="drop"), say("Not done.")), words="Wait. Not done.", calls=2
    ),
    "connection breaks in a proposal": Case((say(WHOLE[:-5], ending="drop"), say(WHOLE)), calls=2),
    "connection breaks each time": Case((say("On. ", ending="drop"),) * 9, words="On. On. On.", calls=3),
    "connection breaks, then no server": Case(
        (say("Half", ending="drop"), *[Reply(ending="drop")] * 3), words="Half", calls=4
    ),
    "connection breaks and the server is overloaded": Case(
        (say("Half", ending="drop"), say(" and", ending="error", error=OVERLOADED)), words="Half and", calls=2
    ),
    "connection breaks before any text": fails(*[Reply(ending="drop")] * 3, code="provider_unreachable", calls=3),
    "a web page": fails(
        Reply(body=b"<html>It works!</html>", headers={"content-type": "text/html"}), code="provider_unreachable"
    ),
    "empty response": fails(Reply(body=b""), code="provider_unreachable"),
    "half an event": fails(Reply(body=b"event: message_start\ndata: {broken\n\n"), code="provider_unreachable"),
    "events without their names": fails(wire(START, BLOCK, DELTA, END, STOP, named=False), code="provider_unreachable"),
    "no message_start": fails(wire(BLOCK, DELTA, END, STOP), code="provider_unreachable"),
    "a delta without its block": Case((wire(START, DELTA, END, STOP),), words="Hello"),
    "unknown event": Case((wire(START, BLOCK, {"type": "hologram"}, DELTA, END, STOP),), words="Hello"),
    "a key that is refused": fails(refuse(401, kind="authentication_error", message="sk-secret"), code="provider_auth"),
    "no credit": fails(
        refuse(400, kind="invalid_request_error", message="Your credit balance is too low"), code="provider_auth"
    ),
    "a prompt that does not fit": fails(
        refuse(400, kind="invalid_request_error", message="prompt is too long"), code="context_too_long"
    ),
    "a gateway that waits too long": fails(refuse(504, kind="timeout_error"), code="timeout"),
    "unknown tool": Case((use(("gone", {})), say("Sorry.")), words="Sorry.", calls=2),
    "a tool's input is half a JSON": Case(
        (Reply(blocks=({"type": "tool_use", "name": "make_group", "input": '{"name": "made'},), stop_reason="tool_use"),
         say("Sorry.")), words="Sorry.", calls=2,
    ),
    "a tool's input is a list": Case(
        (Reply(blocks=({"type": "tool_use", "name": "make_group", "input": '["made"]'},), stop_reason="tool_use"),
         say("Sorry.")), words="Sorry.", calls=2,
    ),
    "a continuation that fails": Case(
        (say("Half", stop_reason="max_tokens"), refuse(401, kind="authentication_error")), words="Half", calls=2
    ),
    "a repair that fails": Case(
        (say('Here. NOTE_PROPOSAL: {"names": []}'), refuse(401, kind="authentication_error")),
        words="My proposal is not valid", calls=2,
    ),
}  # fmt: skip
CASES = {**STOPS, **FAILURES}


async def follow(runtime: TurnRuntime, *, user: User, request: TurnRequest) -> tuple[Turn, list[bytes]]:
    turn = await start_turn_task(runtime, user=user, request=request)
    return turn, [piece async for piece in EventStream(runtime=runtime, turn_id=turn.pk, after=0, user_id=user.pk)]


def run_over_http(
    script: ScriptedModel,
    *,
    user: User,
    clock: Clock,
    request: TurnRequest | None = None,
    meanwhile: Callable[[], Any] | None = None,
    key: str = "k",
) -> tuple[Turn, list[Json]]:
    """Run a turn whose model is a real server; `meanwhile` returns what runs beside it until the turn has ended."""

    @async_to_sync
    async def scene() -> tuple[Turn, list[bytes]]:
        runtime = TurnRuntime(clock=clock)
        turning = asyncio.ensure_future(follow(runtime, user=user, request=request or turn_request()))
        while meanwhile is not None and not turning.done():
            await meanwhile()
        ended = await turning
        for shared in runtime.clients.values():
            await shared.client.aclose()
        return ended

    # Like a provider whose models are loaded.
    provider = {"ANTHROPIC_API_KEY": key, "CHAT_FIRST_TOKEN_SECONDS": 0}
    with script.serve() as url, override_settings(ANTHROPIC_BASE_URL=url, **provider):
        turn, pieces = scene()
    turn.refresh_from_db()
    return turn, events_of(pieces)


def sentence_of(code: str) -> tuple[str, bool]:
    """Return the message of a failure for the user, and whether to try again."""
    hopeless = {"provider_auth", "context_too_long", "budget_exhausted"}
    return str(model.FAILURES[code]()), code not in hopeless


def failures_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what was logged with a traceback, except messages of the event loop about tasks of earlier tests."""
    return [record.getMessage() for record in caplog.records if record.exc_info and record.name != "asyncio"]


@pytest.mark.parametrize("name", CASES)
def test_turn_ends_once_and_the_conversation_goes_on(
    user: User, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    case = CASES[name]
    script = ScriptedModel(*case.replies)
    turn, events = run_over_http(script, user=user, clock=FastClock())

    last = events[-1]
    assert (last["type"], last.get("code", "")) == (case.final, case.code)
    assert case.words in (last.get("message") or last["payload"]["message"])
    assert case.final != "error" or (last["message"], last["retryable"]) == sentence_of(case.code)
    assert case.final != "error" or last["message_id"] == str(answer_of(turn).pk)
    assert len(script.requests) == case.calls
    assert Group.objects.count() == case.made
    assert failures_in(caplog) == []
    assert "secret" not in json.dumps(events)
    assert answer_of(turn).text == "".join(event["text"] for event in events if event["type"] == "text_delta")

    following = ScriptedModel(say("Still here."))
    after, later = run_over_http(following, user=user, clock=FastClock(), request=next_request(turn))
    assert (after.state, later[-1]["payload"]["message"]) == ("complete", "Still here.")
    assert script.problems == following.problems == []


def test_unexpected_error_is_reported_with_the_id_of_its_log_entry(
    user: User, caplog: pytest.LogCaptureFixture
) -> None:
    turn, events = run_over_http(
        ScriptedModel(refuse(404, kind="not_found_error", message="model: sk-secret")), user=user, clock=FastClock()
    )

    last = events[-1]
    assert (last["code"], last["retryable"]) == ("internal", True)
    assert last["message"].startswith(str(model.FAILURES["internal"]()))
    assert failures_in(caplog) == [
        f"turn failed, log id {last['message'].split()[-1].rstrip('.')}"
    ]
    assert "secret" not in json.dumps(events)
    after, _ = run_over_http(ScriptedModel(say("Yes.")), user=user, clock=FastClock(), request=next_request(turn))
    assert after.state == "complete"


@pytest.mark.parametrize("status", [401, 404, 529], ids=["refused", "unexpected", "retried"])
def test_key_is_in_no_log_even_if_the_provider_quotes_it(
    user: User, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    key = "the-key-of-this-site"
    script = ScriptedModel(*[refuse(status, kind="x", message=f"not with {key}, please")] * 3)
    run_over_http(script, user=user, clock=FastClock(), key=key)
    assert "please" in caplog.text
    assert key not in caplog.text


def test_missing_server_is_reported_as_unreachable(user: User) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"

        @async_to_sync
        async def scene() -> tuple[Turn, list[bytes]]:
            return await follow(TurnRuntime(clock=FastClock()), user=user, request=turn_request())

        with override_settings(ANTHROPIC_API_KEY="k", ANTHROPIC_BASE_URL=address):
            _, pieces = scene()

    assert events_of(pieces)[-1]["code"] == "provider_unreachable"


def test_retry_time_of_the_provider_reaches_the_user(user: User) -> None:
    script = ScriptedModel(refuse(429, kind="rate_limit_error", retry_after=3600))
    turn, events = run_over_http(script, user=user, clock=FastClock())
    assert events[-1]["retry_after"] == 3600
    turn.refresh_from_db()
    assert retry_after_of(turn) == 3600
