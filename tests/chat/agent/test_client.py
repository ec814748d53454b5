"""One model call through the SDK: its events, and the code of each failure."""
from __future__ import annotations

import asyncio
import re

import httpx2
import pytest

from chat.agent.client.accumulator import MAX_SIZE
from chat.agent.client.anthropic_model import AnthropicModel
from chat.agent.model import FAILURES, ModelFailure, Stop, TextDelta
from tests.chat.agent.model_call import call, events_of, failure_of, model_of, stop_of
from tests.scripted_model import Gate, Reply, ScriptedModel, refuse, say, use
from tests.waiting_clock import WaitingClock


def test_text_arrives_in_the_deltas_of_the_provider() -> None:
    *deltas, stop = call(say("Hello there", sizes=(2, 4)))
    assert deltas == [TextDelta("He"), TextDelta("llo "), TextDelta("th"), TextDelta("ere")]
    assert isinstance(stop, Stop)
    assert (stop.stop_reason, stop.blocks) == ("end_turn", ({"type": "text", "text": "Hello there"},))


def test_unicode_line_separators_are_unchanged() -> None:
    text = "a\x85b\u2028c\u2029d\x0be\x1cf é 😀"
    assert stop_of(say(text, sizes=(1,))).blocks[0]["text"] == text


def test_tool_uses_are_assembled_from_their_pieces() -> None:
    stop = stop_of(use(("get_rows", {"limit": 5, "name": "é"}), ("list_tables", {}), text="One moment.", sizes=(1, 3)))
    assert [block["type"] for block in stop.blocks] == ["text", "tool_use", "tool_use"]
    assert [block["input"] for block in stop.blocks[1:]] == [{"limit": 5, "name": "é"}, {}]
    assert stop.blocks[1]["id"] != stop.blocks[2]["id"]


@pytest.mark.parametrize("ids", [("same", "same"), ("", ""), ("a b", "a.b"), ("x" * 300, "x" * 300)])
def test_tool_use_ids_are_made_valid_for_the_next_request(ids: tuple[str, str]) -> None:
    uses = tuple({"type": "tool_use", "id": tool_input, "name": "get_rows", "input": {}} for tool_input in ids)
    first, second = stop_of(Reply(blocks=uses, stop_reason="tool_use")).blocks
    assert first["id"] != second["id"]
    assert all(re.fullmatch("[A-Za-z0-9_-]{1,200}", block["id"]) for block in (first, second))


@pytest.mark.parametrize("tool_input", ['{"a": ', "[1]", '{"a": NaN}', '{"a": 1, "a": 2}'])
def test_tool_input_that_is_not_an_object_is_an_input_error(tool_input: str) -> None:
    stop = stop_of(use(("get_rows", tool_input)))  # type: ignore[arg-type]  # the script sends it as it stands
    [block] = stop.blocks
    assert block["input"] == {}
    assert list(stop.bad_inputs) == [block["id"]]


def test_tool_input_at_the_start_of_its_block_is_used() -> None:
    block = {"type": "tool_use", "name": "get_rows", "input": {"limit": 5}, "at_once": True}
    assert stop_of(Reply(blocks=(block,), stop_reason="tool_use")).blocks[0]["input"] == {"limit": 5}


def test_thinking_is_stored_with_its_signature_and_not_shown() -> None:
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "sig"}
    reply = Reply(blocks=(thinking, {"type": "text", "text": "Yes."}))
    *deltas, stop = call(reply)
    assert deltas == [TextDelta("Yes.")]
    assert isinstance(stop, Stop)
    assert stop.blocks[0] == thinking


def test_cached_tokens_are_counted() -> None:
    usage = {"input_tokens": 10, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5}
    stop = stop_of(say("Yes.", usage=usage))
    assert stop.usage["input_tokens"] == 105
    assert stop.usage["cache_read_tokens"] == 90
    assert stop.usage["output_tokens"] > 1


def test_stream_without_a_stop_reason_has_none() -> None:
    assert stop_of(say("Yes and", ending="cut")).stop_reason == ""


def test_connection_lost_after_text_leaves_the_text_without_a_stop_reason() -> None:
    *deltas, stop = call(use(("get_rows", {"limit": 5}), text="Half an ans", sizes=(11, 4), ending="drop"))
    assert deltas == [TextDelta("Half an ans")]
    assert isinstance(stop, Stop)
    assert stop.stop_reason == ""
    assert [block["type"] for block in stop.blocks] == ["text", "tool_use"]
    assert stop.usage["input_tokens"] == 100


@pytest.mark.parametrize(
    "flood",
    [
        pytest.param(say("word " * 3_000_000, sizes=(100_000,)), id="text"),
        pytest.param(use(("get_rows", {"a": "x" * 9_000_000}), sizes=(100_000,)), id="tool input"),
        pytest.param(use(*[("get_rows", {})] * 500), id="tools"),
        pytest.param(
            Reply(blocks=({"type": "thinking", "thinking": "hm " * 3_000_000},), sizes=(100_000,)), id="thinking"
        ),
    ],
)
def test_too_long_answer_is_cut_and_its_connection_closed(flood: Reply) -> None:
    script = ScriptedModel(flood)

    *deltas, stop = asyncio.run(events_of(model_of(script)))

    assert isinstance(stop, Stop)
    assert stop.stop_reason == ""
    assert sum(len(delta.text) for delta in deltas if isinstance(delta, TextDelta)) <= MAX_SIZE + 100_000
    assert len(stop.blocks) <= 401
    assert script.left == 1


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (refuse(401, kind="authentication_error"), "provider_auth"),
        (refuse(403, kind="permission_error"), "provider_auth"),
        (refuse(402, kind="billing_error"), "provider_auth"),
        (refuse(400, kind="invalid_request_error", message="Your credit balance is too low"), "provider_auth"),
        (refuse(400, kind="invalid_request_error", message="prompt is too long: 250000 tokens"), "context_too_long"),
        (refuse(400, kind="x", message="This model's maximum context length is 8192"), "context_too_long"),
        (refuse(413, kind="request_too_large"), "context_too_long"),
        (refuse(400, kind="invalid_request_error", message="messages: roles must alternate"), "internal"),
        (refuse(404, kind="not_found_error", message="model: nope"), "internal"),
        (refuse(504, kind="timeout_error"), "timeout"),
        (Reply(body=b"<html>It works!</html>", headers={"content-type": "text/html"}), "provider_unreachable"),
        (Reply(body=b"event: message_start\ndata: {broken\n\n"), "provider_unreachable"),
        # Events without a type: the SDK ignores them.
        (Reply(body=b'data: {"type": "message_stop"}\n\n'), "provider_unreachable"),
    ],
)
def test_permanent_failure_has_its_code_at_once(reply: Reply, code: str) -> None:
    failure = failure_of(reply)
    assert failure.code == code
    assert failure.message == FAILURES[code]()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (httpx2.ConnectError("refused"), "provider_unreachable"),
        (httpx2.ReadError("reset"), "provider_unreachable"),
        (httpx2.ReadTimeout("silence"), "timeout"),
        (httpx2.ConnectTimeout("silence"), "timeout"),
        (RuntimeError("who knows"), "provider_unreachable"),
    ],
)
def test_network_failure_has_a_code(error: Exception, code: str) -> None:
    class Broken(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            raise error

    model = AnthropicModel(
        api_key="key", base_url="http://model.test", model="m", transport=Broken(), clock=WaitingClock()
    )
    with pytest.raises(ModelFailure) as caught:
        asyncio.run(events_of(model))
    assert caught.value.code == code


@pytest.mark.parametrize("address", ["http://model.test", ""])
def test_url_key_and_headers_come_from_the_settings_and_not_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(name, "from the environment")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Team: from the environment\nX-Other: from the environment")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://elsewhere.test")
    sent: list[httpx2.Request] = []

    class Listening(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            sent.append(request)
            return httpx2.Response(401, json={"type": "error", "error": {"type": "authentication_error"}})

    model = AnthropicModel(
        api_key="ours",
        base_url=address,
        model="m",
        headers=[("X-Team", "given")],
        transport=Listening(),
        clock=WaitingClock(),
    )
    with pytest.raises(ModelFailure):
        asyncio.run(events_of(model))

    (request,) = sent
    assert str(request.url) == f"{address or 'https://api.anthropic.com'}/v1/messages"
    assert request.headers["authorization"] == "Bearer ours"
    assert request.headers["x-team"] == "given"
    assert "from the environment" not in str(request.headers.raw)


def test_messages_of_failures_do_not_contain_text_of_the_provider() -> None:
    failure = failure_of(refuse(401, kind="authentication_error", message="invalid x-api-key sk-secret"))
    assert "secret" not in str(failure.message)


def test_cancelled_call_closes_its_connection_over_http() -> None:
    gate = Gate()
    script = ScriptedModel(say("Hello there", sizes=(1,), gate=gate, gate_after=3))

    async def cancel_midway(base_url: str) -> None:
        model = AnthropicModel(api_key="key", base_url=base_url, model="scripted")
        task = asyncio.ensure_future(events_of(model))
        await asyncio.to_thread(gate.reached.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await model.aclose()

    with script.serve() as base_url:
        asyncio.run(cancel_midway(base_url))
    assert script.left == 1


def test_events_over_http_are_the_same() -> None:
    script = ScriptedModel(use(("get_rows", {"limit": 1}), text="One moment.", sizes=(3, 1, 7)))
    with script.serve() as base_url:
        model = AnthropicModel(api_key="key", base_url=base_url, model="scripted")
        *deltas, stop = asyncio.run(events_of(model, tools=[{"name": "get_rows", "input_schema": {"type": "object"}}]))
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == "One moment."
    assert isinstance(stop, Stop)
    assert stop.blocks[-1]["input"] == {"limit": 1}
    assert script.requests[0]["tool_choice"] == {"type": "auto"}
