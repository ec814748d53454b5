"""A transport for the SDK's client that answers with replies, as a server of the Messages API would."""
from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Any

import httpx2

from chat.scripted_model.reply import Reply
from chat.scripted_model.wire import events_of, stream_reply

Json = dict[str, Any]
BATCHES = "/v1/messages/batches"
Sleep = Callable[[float], Awaitable[None]]


class ReplyTransport(httpx2.AsyncBaseTransport):
    """Answers streaming calls of `POST …/v1/messages` with `answer(body)`; `model` is the name that it reports.

    `sleep` waits for the delay and the pace of replies. `batches(method, path, body)` answers requests about
    batches.
    """

    def __init__(
        self,
        answer: Callable[[Json], Reply],
        *,
        model: str,
        sleep: Sleep = asyncio.sleep,
        batches: Callable[[str, str, bytes], httpx2.Response] | None = None,
    ) -> None:
        self._answer = answer
        self._model = model
        self._sleep = sleep
        self._batches = batches

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one call of the model."""
        raw = await request.aread()
        if self._batches is not None and BATCHES in request.url.path:
            return await asyncio.to_thread(self._batches, request.method, request.url.path, raw)
        if request.method != "POST" or not request.url.path.endswith("/v1/messages"):
            message = f"The {self._model} model answers POST /v1/messages only."
            reply = Reply.refuse(404, kind="not_found_error", message=message)
        else:
            reply = self._answer(json.loads(raw))
        if reply.delay:
            await self._sleep(reply.delay)
        # The prompt grows with every call of a conversation, so repeated questions have different ids.
        digest = hashlib.sha256(f"{len(raw)} {reply!r}".encode("utf-8", "replace")).hexdigest()[:24]
        return response(reply, self._stream(reply, unique_id=digest))

    async def _stream(self, reply: Reply, *, unique_id: str) -> AsyncGenerator[bytes, None]:
        async def pause(deltas: int, event: Json | None) -> None:
            if reply.pace and event is not None and event["type"] == "content_block_delta":
                await self._sleep(reply.pace)

        events = events_of(reply, unique_id=unique_id, model=self._model)
        async for piece in stream_reply(reply, events=events, pause=pause):
            yield piece


def response(reply: Reply, pieces: AsyncGenerator[bytes, None]) -> httpx2.Response:
    """Return the HTTP response with a reply, whose body is streamed from `pieces`."""
    headers = {"content-type": content_type(reply), "cache-control": "no-cache", **reply.headers}
    return httpx2.Response(reply.status, headers=headers, stream=_Body(pieces))


def content_type(reply: Reply) -> str:
    """Return the media type of a response with this reply."""
    return "text/event-stream; charset=utf-8" if reply.status == 200 else "application/json"


class _Body(httpx2.AsyncByteStream):
    """A body that is closed with the response, even if it was not read to its end."""

    def __init__(self, pieces: AsyncGenerator[bytes, None]) -> None:
        self._pieces = pieces

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._pieces

    async def aclose(self) -> None:
        await self._pieces.aclose()
