"""Start the background tasks of turns with the first request, and shut turns down at the end of the process."""
from __future__ import annotations

from django.conf import settings

from chat.turns.runtime import current_runtime
from chat.turns.shutdown import shut_down
from chatproject.assets import ASGIApp, Receive, Scope, Send
from shared.websockets.broadcast import broadcast_from_running_loop


def with_watch(app: ASGIApp) -> ASGIApp:
    """Wrap the application.

    With servers that send lifespan events, such as uvicorn, background tasks start with the server, and at its end
    turns get `DRAIN_SECONDS`. For Daphne `chatproject/serving.py` does this.
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
