"""The demo model as an HTTP transport: the SDK calls it as it calls any server of the Messages API.

A reply becomes server-sent events in small deltas.
"""

import asyncio
import hashlib
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import httpx2

from chat.demo_model.answering import answer
from chat.demo_model.reply import Reply
from chat.demo_model.request import read_turn

Sleep = Callable[[float], Awaitable[None]]
Json = dict[str, Any]
_PROSE_STEP = 5
_ELEMENT_DELTAS = 250
logger = logging.getLogger(__name__)


class DemoTransport(httpx2.AsyncBaseTransport):
    """Answers streaming calls of `POST …/v1/messages`, without state between requests."""

    def __init__(self, *, sleep: Sleep, pace: float) -> None:
        self._sleep = sleep
        self._pace = pace

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one call of the model."""
        raw = await request.aread()
        if request.method != "POST" or not request.url.path.endswith("/v1/messages"):
            return _error(404, kind="not_found_error", message="The demo model answers POST /v1/messages only.")
        try:
            reply = answer(read_turn(json.loads(raw)))
        except Exception:
            # Nothing has been sent yet, so only this call fails, as with a server.
            logger.exception("the demo model failed")
            return _error(500, kind="api_error", message="The demo model failed.")
        headers = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
        return httpx2.Response(200, headers=headers, stream=_Events(self._stream(reply, prompt_bytes=len(raw))))

    async def _stream(self, reply: Reply, *, prompt_bytes: int) -> AsyncGenerator[bytes, None]:
        for event in _events_of(reply=reply, model="demo", prompt_bytes=prompt_bytes):
            if self._pace and event["type"] == "content_block_delta":
                await self._sleep(self._pace)
            yield _encode(event)


class _Events(httpx2.AsyncByteStream):
    """A stream of events that is closed with the response, even if it was not read to its end."""

    def __init__(self, events: AsyncGenerator[bytes, None]) -> None:
        self._events = events

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._events

    async def aclose(self) -> None:
        await self._events.aclose()


def demo_transport(*, pace: float = 0.008, sleep: Sleep = asyncio.sleep) -> DemoTransport:
    """Return the demo model as the transport of an SDK client; `pace` is the pause in seconds before each delta."""
    return DemoTransport(sleep=sleep, pace=pace)


def _error(status: int, *, kind: str, message: str) -> httpx2.Response:
    return httpx2.Response(status, json={"type": "error", "error": {"type": kind, "message": message}})


def _events_of(*, reply: Reply, model: str, prompt_bytes: int) -> Iterator[Json]:
    """Yield the events of a stream, in order."""
    # The prompt grows with every call of a conversation, so repeated questions have different ids.
    digest = hashlib.sha256(f"{prompt_bytes} {reply!r}".encode("utf-8", "replace")).hexdigest()[:24]
    usage = {"input_tokens": _tokens(prompt_bytes), "output_tokens": 1}
    message = {"id": f"msg_{digest}", "type": "message", "role": "assistant", "model": model, "content": []}
    yield {"type": "message_start", "message": message | {"stop_reason": None, "stop_sequence": None, "usage": usage}}
    text, used, index = "\n\n".join(part for part in (reply.text, reply.element) if part), "", 0
    if text:
        deltas = [("text_delta", "text", piece) for piece in _text_deltas(reply, text)]
        yield from _block({"type": "text", "text": ""}, deltas, index=0)
        index = 1
    if reply.tool_use:
        used = json.dumps(reply.tool_use.input, ensure_ascii=False)
        block = {"type": "tool_use", "id": f"toolu_{digest}", "name": reply.tool_use.name, "input": {}}
        deltas = [("input_json_delta", "partial_json", piece) for piece in _slices(used, step=12)]
        yield from _block(block, deltas, index=index)
    stop = {"stop_reason": "tool_use" if reply.tool_use else "end_turn", "stop_sequence": None}
    written = _tokens(len((text + used).encode("utf-8", "replace")))
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": written}}
    yield {"type": "message_stop"}


def _encode(event: Json) -> bytes:
    """Return an event as bytes. The SDK drops events without an `event:` line."""
    return f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode("utf-8", "replace")


def _block(block: Json, deltas: list[tuple[str, str, str]], *, index: int) -> Iterator[Json]:
    yield {"type": "content_block_start", "index": index, "content_block": block}
    for kind, name, piece in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": {"type": kind, name: piece}}
    yield {"type": "content_block_stop", "index": index}


def _text_deltas(reply: Reply, text: str) -> Iterator[str]:
    """Yield the text in short deltas; an element in a limited number of them, so that 200 rows take only seconds."""
    prose = len(text) - len(reply.element)
    yield from _slices(text[:prose], step=_PROSE_STEP)
    yield from _slices(text[prose:], step=max(_PROSE_STEP, len(reply.element) // _ELEMENT_DELTAS))


def _slices(text: str, *, step: int) -> Iterator[str]:
    return (text[start : start + step] for start in range(0, len(text), step))


def _tokens(size: int) -> int:
    return max(1, round(size / 3.5))
