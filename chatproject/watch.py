"""Sets the process to look after its chat as soon as it serves anything, and to leave nothing unsaid when it ends."""
from __future__ import annotations

from django.conf import settings

from chat.turns.host import current_host
from chat.turns.leaving import leave
from chatproject.assets import ASGIApp, Receive, Scope, Send
from sockets.telling import tell_from_here


def with_watch(app: ASGIApp) -> ASGIApp:
    """From the first request on, turns and streams that other processes left behind are looked after here.

    Servers that tell of their start and their end (uvicorn does) are watched from the start, and at the end turns
    get `DRAIN_SECONDS`; for Daphne `chatproject/serving.py` does that.
    """

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        current_host().watch_over()
        tell_from_here()
        if scope["type"] != "lifespan":
            await app(scope, receive, send)
            return
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await leave(current_host(), within=settings.DRAIN_SECONDS)
        await send({"type": "lifespan.shutdown.complete"})

    return serve
