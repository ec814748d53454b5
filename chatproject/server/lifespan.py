"""Starts the background tasks of turns with the server, and shuts turns down when it ends."""
from __future__ import annotations

from django.conf import settings

from chat.turns.runtime import current_runtime, shut_down
from chatproject.asgi_types import ASGIApp, Receive, Scope, Send
from shared.websockets.broadcast import broadcast_from_running_loop


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
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await shut_down(current_runtime(), within=settings.DRAIN_SECONDS)
        await send({"type": "lifespan.shutdown.complete"})

    return serve
