"""The limit of open sockets of a process, of all users together."""

from __future__ import annotations

import resource

from django.conf import settings

from chatproject.assets import ASGIApp, Receive, Scope, Send
from chatproject.metrics.measures import REFUSALS
from shared.websockets.close_codes import FULL


def with_socket_limit(app: ASGIApp) -> ASGIApp:
    """Refuse new sockets with close code 4503 while a process has as many as it may.

    They are accepted first: browsers show the close code of no other refusal.
    """
    count = 0

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal count
        if count >= max_sockets():
            REFUSALS.labels("too_many_sockets").inc()
            if (await receive())["type"] == "websocket.connect":
                await send({"type": "websocket.accept"})
                await send({"type": "websocket.close", "code": FULL})
            return
        count += 1
        try:
            await app(scope, receive, send)
        finally:
            count -= 1

    return serve


def max_sockets() -> int:
    """Return the limit: that of the settings, but at most half of the files that the process may have open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return int(settings.SOCKETS_A_PROCESS) if soft < 0 else min(settings.SOCKETS_A_PROCESS, soft // 2)
