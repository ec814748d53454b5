"""A model call ends at its deadline, whatever the provider does."""
from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import httpx2
import pytest

from chat.agent.client.anthropic_model import AnthropicModel
from chat.agent.clock import Clock
from chat.agent.model import Json, ModelEvent, ModelFailure, Stop, TextDelta
from tests.chat.agent.model_call import events_of
from tests.manual_clock import ManualClock
from tests.waiting_clock import WaitingClock

SECONDS = 120


def sse(event: Json) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def begins(index: int, **block: object) -> bytes:
    return sse({"type": "content_block_start", "index": index, "content_block": block})


MESSAGE = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None}
START = sse({"type": "message_start", "message": {**MESSAGE, "usage": {"input_tokens": 7, "output_tokens": 1}}})
PING = sse({"type": "ping"})
TEXT_BEGINS = begins(0, type="text", text="")
THINKING_BEGINS = begins(0, type="thinking", thinking="", signature="")
TOOL_BEGINS = begins(1, type="tool_use", id="toolu_1", name="get", input={})
WORD = sse({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "word "}})


class Provider(httpx2.AsyncBaseTransport):
    """Sends these pieces, then nothing or `again` endlessly; `mute`: does not even send response headers."""

    def __init__(self, *pieces: bytes, repeated: bytes = b"", mute: bool = False) -> None:
        self._pieces = pieces
        self._repeated = repeated
        self._mute = mute

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if self._mute:
            await asyncio.Event().wait()
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=self._body())

    async def _body(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece
        while self._repeated:
            await asyncio.sleep(0)
            yield self._repeated
        await asyncio.Event().wait()


def model_at(provider: httpx2.AsyncBaseTransport, *, clock: Clock) -> AnthropicModel:
    return AnthropicModel(api_key="key", base_url="http://m.test", model="m", transport=provider, clock=clock)


def run_to_the_deadline(provider: Provider) -> list[ModelEvent]:
    """Return the events of a call that is still open a second before its deadline and ended a second after it."""

    async def scene() -> list[ModelEvent]:
        clock = ManualClock()
        call = asyncio.ensure_future(events_of(model_at(provider, clock=clock), seconds=SECONDS))
        await clock.advance(SECONDS - 1)
        assert not call.done()
        await clock.advance(2)
        assert call.done()
        return await call

    return asyncio.run(scene())


WITHOUT_TEXT = {
    "no response": Provider(mute=True),
    "a response without a body": Provider(),
    "silence before the answer": Provider(START),
    "only pings": Provider(START, repeated=PING),
    "silence while it thinks": Provider(START, THINKING_BEGINS),
    "silence in a tool call": Provider(START, TOOL_BEGINS),
    "pings in a tool call": Provider(START, TOOL_BEGINS, repeated=PING),
}


@pytest.mark.parametrize("provider", WITHOUT_TEXT.values(), ids=WITHOUT_TEXT)
def test_call_without_text_fails_at_its_deadline(provider: Provider) -> None:
    with pytest.raises(ModelFailure) as caught:
        run_to_the_deadline(provider)

    assert (caught.value.code, caught.value.retry_now) == ("timeout", False)


AFTER_TEXT = {
    "silence": Provider(START, TEXT_BEGINS, WORD),
    "only pings": Provider(START, TEXT_BEGINS, WORD, repeated=PING),
    "silence in a tool call": Provider(START, TEXT_BEGINS, WORD, TOOL_BEGINS),
}


@pytest.mark.parametrize("name", AFTER_TEXT)
def test_call_that_stops_sending_after_text_ends_at_its_deadline_with_that_text(name: str) -> None:
    *deltas, stop = run_to_the_deadline(AFTER_TEXT[name])

    assert deltas == [TextDelta("word ")]
    assert isinstance(stop, Stop)
    assert (stop.stop_reason, stop.blocks[0]) == ("", {"type": "text", "text": "word "})
    assert [block["type"] for block in stop.blocks[1:]] == (["tool_use"] if "tool" in name else [])
    assert stop.usage["input_tokens"] == 7


def test_call_that_sends_text_without_a_pause_ends_at_its_deadline() -> None:
    clock = WaitingClock()

    class Flood(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=self._body())

        async def _body(self) -> AsyncIterator[bytes]:
            yield START + TEXT_BEGINS
            while True:
                clock.now += 50
                yield WORD

    *deltas, stop = asyncio.run(events_of(model_at(Flood(), clock=clock), seconds=SECONDS))

    assert [delta.text for delta in deltas if isinstance(delta, TextDelta)] == ["word "] * 3
    assert isinstance(stop, Stop)
    assert stop.stop_reason == ""
