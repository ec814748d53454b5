"""Starts the background tasks of turns with the server, and ends streams and turns when it ends."""
from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable
from types import FrameType

from django.conf import settings

from chat.turns.runtime import current_runtime, shut_down
from chatproject.asgi_types import ASGIApp, Receive, Scope, Send
from shared.websockets.broadcast import broadcast_from_running_loop
from shared.websockets.event_stream import end_endless_streams

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
POLL_SECONDS = 0.1


def with_lifespan(app: ASGIApp) -> ASGIApp:
    """Handle lifespan events, which uvicorn sends: at the end of the server, turns get `DRAIN_SECONDS` to end.

    Without lifespan events, background tasks start with the first request. `server/daphne.py` ends turns with Daphne.
    """

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        current_runtime().start_background_tasks()
        broadcast_from_running_loop()
        if scope["type"] != "lifespan":
            await app(scope, receive, send)
            return
        end_streams_at_signal()
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await shut_down(current_runtime(), within=settings.DRAIN_SECONDS)
        await send({"type": "lifespan.shutdown.complete"})

    return serve


def end_streams_at_signal() -> None:
    """End the endless streams of the running event loop from the first signal on that stops its server.

    The server waits for open responses before it sends the lifespan event, which is too late for endless ones. Its own
    signal handlers, set before the lifespan starts, are called afterwards; it restores those from before when it ends.
    Does nothing outside of the main thread, which cannot receive signals.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    loop, started = asyncio.get_running_loop(), set[asyncio.Task[None]]()

    def start() -> None:
        if not started:
            started.add(loop.create_task(_end_streams()))

    def after(handler: Callable[[int, FrameType | None], object]) -> Callable[[int, FrameType | None], None]:
        def handle(number: int, frame: FrameType | None) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(start)
            handler(number, frame)

        return handle

    for number in STOP_SIGNALS:
        handler = signal.getsignal(number)
        if callable(handler):
            signal.signal(number, after(handler))


async def _end_streams() -> None:
    """End endless streams until the event loop ends: requests that were accepted last may open further ones."""
    while True:
        end_endless_streams()
        await asyncio.sleep(POLL_SECONDS)
