"""Server-sent events: headers, encoding, the body of a response, and streams that only the server's end would end."""
from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary, WeakSet

EVENT_STREAM = "text/event-stream"
STREAM_HEADERS = {
    "Content-Type": f"{EVENT_STREAM}; charset=utf-8",
    # Proxies must not cache, transform or buffer the stream; compression would buffer it.
    "Cache-Control": "no-cache, no-store, no-transform",
    "Content-Encoding": "identity",
    "X-Accel-Buffering": "no",
}
COMMENT = b": still here\n\n"
# At the start of a stream: how long its clients wait before they connect again.
RETRY_SECONDS = 2
RETRY = b"retry: %d\n\n" % (RETRY_SECONDS * 1_000)


def encode(number: int, *, kind: str, event: str) -> str:
    """Return a server-sent event with its number, its type, and its JSON on one data line."""
    return f"id: {number}\nevent: {kind}\ndata: {event}\n\n"


class Access:
    """Whether the reader still has access. `wake_up` is set when there is something to send or access has ended."""

    def __init__(self) -> None:
        self.ended = False
        self.wake_up = asyncio.Event()

    def end(self) -> None:
        self.ended = True
        self.wake_up.set()


class StreamBody:
    """The body of a streamed response. Django closes it however the response ends, and `on_end` is then called."""

    def __init__(
        self, pieces: AsyncGenerator[bytes, None], *, on_end: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._pieces = pieces
        self._on_end = on_end
        self._ending = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._pieces

    def close(self) -> None:
        """End the stream. Django may call this from another thread, and twice.

        If the client disconnected while a piece was being sent, the generator is suspended, and only this closes it
        before the garbage collector does.
        """
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(lambda: self._loop.create_task(self._end()))

    async def _end(self) -> None:
        if self._ending:
            return
        self._ending = True
        try:
            await self._pieces.aclose()
        finally:
            if self._on_end is not None:
                await self._on_end()


# The endless streams of each event loop.
_endless: WeakKeyDictionary[asyncio.AbstractEventLoop, set[Access]] = WeakKeyDictionary()
# Event loops whose server ends.
_ending: WeakSet[asyncio.AbstractEventLoop] = WeakSet()


@contextmanager
def until_server_ends(access: Access) -> Iterator[None]:
    """Let the end of the server end the access of an endless stream."""
    streams = _endless.setdefault(asyncio.get_running_loop(), set())
    streams.add(access)
    try:
        yield
    finally:
        streams.discard(access)


def end_endless_streams() -> None:
    """End the endless streams of the running event loop; their clients connect again, to another process."""
    _ending.add(asyncio.get_running_loop())
    for access in list(_endless.get(asyncio.get_running_loop(), ())):
        access.end()


def is_server_ending() -> bool:
    """Return whether the server of the running event loop ends, so that it must not start endless streams."""
    return asyncio.get_running_loop() in _ending


def count_endless_streams() -> int:
    """Return the number of open endless streams of this process."""
    return sum(map(len, list(_endless.values())))
