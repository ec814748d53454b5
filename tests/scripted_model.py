"""A scripted Messages API for tests: it sends the replies of `chat.scripted_model`, checks requests and records them.

As a transport: `AnthropicModel(..., transport=ScriptedModel(say("Hello")).transport())`.
Over HTTP:      `with ScriptedModel(say("Hello")).serve() as base_url: …` for ANTHROPIC_BASE_URL.
"""
from __future__ import annotations

import asyncio
import itertools
import json
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import httpx2

from chat.catalogue import CODE, Catalogue
from chat.scripted_model.faults import ScriptError
from chat.scripted_model.reply import Reply as PreparedReply
from chat.scripted_model.script import ScriptPlayer, load_script
from chat.scripted_model.transport import response
from chat.scripted_model.wire import events_of, stream_reply
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
class Reply(PreparedReply):
    """A reply as the product sends it, with a `gate` that holds it back after `gate_after` deltas."""

    gate: Gate | None = None
    gate_after: int = 0

    async def pause(self, deltas: int, event: Json | None) -> None:
        """Wait at the gate; one after more deltas than there are is reached at the end."""
        if self.gate is not None and (deltas == self.gate_after or (event is None and deltas < self.gate_after)):
            await self.gate.wait()


# Returns the reply to a request, or None without one.
Next = Callable[[Json], Reply | None]
say, use, interrupted, refuse = Reply.say, Reply.use, Reply.interrupted, Reply.refuse


class ScriptedModel:
    """Sends its replies in order. A reply may be a function of the request.

    `problems`: violations of the API's rules, which were answered with 400. `left`: how many callers disconnected
    before the end of their reply.
    """

    def __init__(self, *replies: Next | Reply, otherwise: Next | Reply | None = None) -> None:
        self.requests: list[Json] = []
        self.problems: list[str] = []
        self.left = 0
        self._replies = list(replies)
        self._otherwise = otherwise
        self._ids = itertools.count(1)
        self._paused = False

    @classmethod
    def from_file(cls, file: Path | str, *, catalogue: Catalogue | None = CODE) -> Self:
        """Return a model with the replies of a script file, without their delays. See `load_script`."""
        player = ScriptPlayer(load_script(file, catalogue=catalogue))

        def following(request: Json) -> Reply | None:
            reply = player.take(request)
            return Reply(**vars(reply)) if reply else None

        return cls(otherwise=following)

    def add(self, *replies: Next | Reply) -> None:
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
        fault = "the script has no reply left"
        try:
            reply = following(request) if callable(following) else following
        except ScriptError as problem:
            reply, fault = None, str(problem)
        if reply is None:
            self.problems.append(fault)
            return refuse(400, kind="invalid_request_error", message=fault)
        if reply.status == 200 and not reply.ending and reply.body is None:
            # A call that failed may be repeated unchanged.
            self._paused = reply.stop_reason == "pause_turn"
        return reply

    async def stream(self, reply: Reply) -> AsyncGenerator[bytes, None]:
        """Yield the body of the response with a reply."""
        finished = False
        try:
            async with aclosing(stream_reply(reply, events=self._events(reply), pause=reply.pause)) as pieces:
                async for piece in pieces:
                    yield piece
            finished = True
        except httpx2.RemoteProtocolError:
            finished = True
            raise
        finally:
            self.left += not finished

    def _events(self, reply: Reply) -> Iterator[Json]:
        return events_of(reply, unique_id=str(next(self._ids)), model="scripted")

    def other(self, method: str, path: str, body: bytes) -> httpx2.Response | None:
        """Return the response to a request that is no call of the model, None for a call."""
        return self.counted() if path.endswith("/count_tokens") else None

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


class _ScriptedTransport(httpx2.AsyncBaseTransport):
    def __init__(self, script: ScriptedModel) -> None:
        self._script = script

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        found = self._script.other(request.method, request.url.path, body)
        if found is not None:
            return found
        reply = self._script.take(json.loads(body))
        return response(reply, self._script.stream(reply))
