"""The demo model as an HTTP transport: the SDK speaks to it as it speaks to any server of the Messages API."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Any

import httpx2

from chat.demo import wire
from chat.demo.mind import answer
from chat.demo.reply import Reply
from chat.demo.request import read_turn

Json = dict[str, Any]
Sleep = Callable[[float], Awaitable[None]]
logger = logging.getLogger(__name__)


class DemoTransport(httpx2.AsyncBaseTransport):
    """Answers `POST …/v1/messages`; keeps nothing from one request to the next."""

    def __init__(self, *, sleep: Sleep, pace: float) -> None:
        self._sleep = sleep
        self._pace = pace

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """One call of the model."""
        raw = await request.aread()
        if request.method != "POST" or not request.url.path.endswith("/v1/messages"):
            return _error(404, kind="not_found_error", words="The demo model answers POST /v1/messages only.")
        try:
            body = json.loads(raw)
        except ValueError:
            return _error(400, kind="invalid_request_error", words="The body must be JSON.")
        if not isinstance(body, dict) or not isinstance(body.get("messages"), list) or not body["messages"]:
            return _error(400, kind="invalid_request_error", words="messages: at least one message is required.")
        try:
            reply = answer(read_turn(body))
        except Exception:
            # Nothing has been sent yet: as a server would, fail this one call and leave the trace to the log.
            logger.exception("The demo model failed")
            return _error(500, kind="api_error", words="The demo model failed.")
        model = str(body.get("model", "demo"))
        if body.get("stream") is not True:
            return httpx2.Response(200, json=wire.message(reply=reply, model=model, prompt_bytes=len(raw)))
        return httpx2.Response(
            200,
            headers={"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"},
            stream=_Events(self._stream(reply=reply, model=model, prompt_bytes=len(raw))),
        )

    async def _stream(self, *, reply: Reply, model: str, prompt_bytes: int) -> AsyncGenerator[bytes, None]:
        for event in wire.events(reply=reply, model=model, prompt_bytes=prompt_bytes):
            if self._pace and wire.is_delta(event):
                await self._sleep(self._pace)
            yield wire.encode(event)


class _Events(httpx2.AsyncByteStream):
    """Closed with the answer, also where nobody has read it to its end."""

    def __init__(self, events: AsyncGenerator[bytes, None]) -> None:
        self._events = events

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._events

    async def aclose(self) -> None:
        await self._events.aclose()


def demo_transport(*, pace: float = 0.008, sleep: Sleep = asyncio.sleep) -> DemoTransport:
    """The demo model behind an SDK client; `pace` is the pause in seconds before each delta."""
    return DemoTransport(sleep=sleep, pace=pace)


def _error(status: int, *, kind: str, words: str) -> httpx2.Response:
    return httpx2.Response(status, json={"type": "error", "error": {"type": kind, "message": words}})
