"""A scripted Messages API: it sends prepared replies, checks requests and records them.

As a transport: `AnthropicModel(..., transport=ScriptedModel(say("Hello")).transport())`.
Over HTTP:      `with ScriptedModel(say("Hello")).serve() as base_url: …` for ANTHROPIC_BASE_URL.
"""
from __future__ import annotations

import asyncio
import itertools
import json
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import httpx2

from tests.messages_api_rules import problems_of
from tests.scripted_server import serving

Json = dict[str, Any]


class Gate:
    """Holds back a reply until it is opened, from any thread. `reached` is set when the reply waits at it."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._lock = threading.Lock()
        self._open = False
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def wait(self) -> None:
        """Wait until the gate is open."""
        event = asyncio.Event()
        with self._lock:
            if self._open:
                event.set()
            self._waiting.append((asyncio.get_running_loop(), event))
        self.reached.set()
        await event.wait()

    def open(self) -> None:
        """Let all replies through, now and later."""
        with self._lock:
            self._open = True
            waiting, self._waiting = self._waiting, []
        for loop, event in waiting:
            if not loop.is_closed():
                loop.call_soon_threadsafe(event.set)


@dataclass(frozen=True)
class Reply:
    """One reply of the model.

    `blocks`: content blocks as the API has them. A tool use with `at_once` has its input in one piece, as some
    servers send it. `sizes`: lengths of the deltas, repeated (empty: one delta a block). `gate` holds the reply back
    after `gate_after` deltas. `ending`, after `ends_after` deltas (0: after all blocks): "" is complete, "cut" ends
    before the stop reason, "drop" breaks the connection, "error" sends `error` as an event.
    """

    blocks: tuple[Json, ...] = ()
    stop_reason: str = "end_turn"
    sizes: tuple[int, ...] = ()
    gate: Gate | None = None
    gate_after: int = 0
    ending: str = ""
    ends_after: int = 0
    status: int = 200
    error: Json = field(default_factory=dict)
    headers: Json = field(default_factory=dict)
    body: bytes | None = None
    usage: Json = field(default_factory=lambda: {"input_tokens": 100, "cache_read_input_tokens": 0})

    def but(self, **changes: Any) -> Reply:
        """The same reply with some fields changed."""
        return replace(self, **changes)


def say(text: str, *, sizes: Sequence[int] = (), **changes: Any) -> Reply:
    """Return a reply of plain text, in deltas of these sizes."""
    return Reply(blocks=({"type": "text", "text": text},), sizes=tuple(sizes), **changes)


def use(*calls: tuple[str, Json], text: str = "", sizes: Sequence[int] = (), **changes: Any) -> Reply:
    """Return a reply with tool calls (name, input) after some text."""
    blocks: list[Json] = [{"type": "text", "text": text}] if text else []
    blocks += [{"type": "tool_use", "name": name, "input": given} for name, given in calls]
    return Reply(blocks=tuple(blocks), sizes=tuple(sizes), **{"stop_reason": "tool_use", **changes})


def interrupted(text: str) -> Reply:
    """Return a reply that an error event of the provider interrupts after this text."""
    return say(text, ending="error", error={"type": "overloaded_error"})


def refuse(status: int, *, kind: str, message: str = "no", retry_after: float | None = None) -> Reply:
    """Return an error response without a stream."""
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    return Reply(status=status, error={"type": kind, "message": message}, headers=headers)


class ScriptedModel:
    """Sends its replies in order. A reply may be a function of the request.

    `problems`: violations of the API's rules, which were answered with 400. `left`: how many callers disconnected
    before the end of their reply.
    """

    def __init__(self, *replies: Reply | Callable[[Json], Reply], otherwise: Reply | None = None) -> None:
        self.requests: list[Json] = []
        self.problems: list[str] = []
        self.left = 0
        self._replies = list(replies)
        self._otherwise = otherwise
        self._ids = itertools.count(1)
        self._paused = False

    def add(self, *replies: Reply | Callable[[Json], Reply]) -> None:
        """Append replies to the script."""
        self._replies += replies

    def take(self, request: Json) -> Reply:
        """Return the reply to this request."""
        problems = problems_of(request, resumes=self._paused)
        self.requests.append(request)
        if problems:
            self.problems += problems
            return refuse(400, kind="invalid_request_error", message="; ".join(problems))
        following = self._replies.pop(0) if self._replies else self._otherwise
        if following is None:
            self.problems.append("the script has no reply left")
            return refuse(400, kind="invalid_request_error", message="the script has no reply left")
        reply = following(request) if callable(following) else following
        if reply.status == 200 and not reply.ending and reply.body is None:
            # A call that failed may be repeated unchanged.
            self._paused = reply.stop_reason == "pause_turn"
        return reply

    async def stream(self, reply: Reply) -> AsyncGenerator[bytes, None]:
        """Yield the events of a reply, encoded."""
        if reply.body is not None or reply.status != 200:
            error = {"type": "error", "error": reply.error, "request_id": "req_scripted"}
            yield reply.body if reply.body is not None else json.dumps(error).encode()
            return
        finished = False
        deltas = 0
        try:
            for event in self._events(reply):
                if reply.gate is not None and deltas == reply.gate_after:
                    await reply.gate.wait()
                if reply.ends_after and deltas == reply.ends_after:
                    break
                deltas += event["type"] == "content_block_delta"
                yield _sse(event)
            if reply.gate is not None and deltas <= reply.gate_after:
                await reply.gate.wait()
            if reply.ending == "error":
                yield _sse({"type": "error", "error": reply.error})
            finished = True
        finally:
            self.left += not finished
        if reply.ending == "drop":
            raise httpx2.RemoteProtocolError("peer closed connection without sending complete message body")

    def _events(self, reply: Reply) -> Iterator[Json]:
        number = next(self._ids)
        start: Json = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "scripted"}
        start |= {"content": [], "stop_reason": None, "stop_sequence": None}
        start["usage"] = {"output_tokens": 1, **reply.usage}
        yield {"type": "message_start", "message": start}
        yield {"type": "ping"}
        sizes = itertools.cycle(reply.sizes or (1 << 30,))
        for index, block in enumerate(reply.blocks):
            yield from _block_events(block, index=index, sizes=sizes, fresh_id=f"toolu_{number}_{index}")
        if not reply.ending:
            tokens = 1 + sum(len(json.dumps(block)) for block in reply.blocks) // 4
            delta = {"stop_reason": reply.stop_reason, "stop_sequence": None}
            yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": tokens}}
            yield {"type": "message_stop"}

    def counted(self) -> httpx2.Response:
        """Return the response to `count_tokens`."""
        return httpx2.Response(200, json={"input_tokens": 8})

    def transport(self) -> httpx2.AsyncBaseTransport:
        """Return a transport for the SDK that uses no network."""
        return _ScriptedTransport(self)

    @contextmanager
    def serve(self) -> Iterator[str]:
        """Serve over HTTP on loopback until the block ends, and yield the base URL."""
        with serving(lambda: self) as base_url:
            yield base_url


def _block_events(block: Json, *, index: int, sizes: Iterator[int], fresh_id: str) -> Iterator[Json]:
    kind = block["type"]
    start: Json
    if kind == "text":
        start, text, delta, key = {"type": "text", "text": ""}, block["text"], "text_delta", "text"
    elif kind == "tool_use":
        start = {"type": "tool_use", "id": block.get("id", fresh_id), "name": block["name"], "input": {}}
        given = block["input"]
        text = given if isinstance(given, str) else json.dumps(given)
        if block.get("at_once"):
            start["input"], text = given, ""
        delta, key = "input_json_delta", "partial_json"
    elif kind == "thinking":
        start = {"type": "thinking", "thinking": "", "signature": ""}
        text, delta, key = block["thinking"], "thinking_delta", "thinking"
    else:
        start, text, delta, key = dict(block), "", "", ""
    yield {"type": "content_block_start", "index": index, "content_block": start}
    start_of_delta = 0
    while start_of_delta < len(text):
        size = next(sizes)
        piece = {"type": delta, key: text[start_of_delta : start_of_delta + size]}
        yield {"type": "content_block_delta", "index": index, "delta": piece}
        start_of_delta += size
    if kind == "thinking":
        signature = {"type": "signature_delta", "signature": block.get("signature", "signed")}
        yield {"type": "content_block_delta", "index": index, "delta": signature}
    yield {"type": "content_block_stop", "index": index}


def _sse(event: Json) -> bytes:
    try:
        data = json.dumps(event, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        data = json.dumps(event).encode()  # a lone surrogate can only be sent escaped
    return b"event: " + event["type"].encode() + b"\ndata: " + data + b"\n\n"


class _Body(httpx2.AsyncByteStream):
    def __init__(self, pieces: AsyncGenerator[bytes, None]) -> None:
        self._pieces = pieces

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._pieces

    async def aclose(self) -> None:
        await self._pieces.aclose()


class _ScriptedTransport(httpx2.AsyncBaseTransport):
    def __init__(self, script: ScriptedModel) -> None:
        self._script = script

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(await request.aread())
        if request.url.path.endswith("/count_tokens"):
            return self._script.counted()
        reply = self._script.take(body)
        kind = "text/event-stream" if reply.status == 200 else "application/json"
        headers = {"content-type": kind, **reply.headers}
        return httpx2.Response(reply.status, headers=headers, stream=_Body(self._script.stream(reply)))
