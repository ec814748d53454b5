"""What is said to a socket whose page has gone is said to nobody: pages leave like that, and it is no fault."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autobahn.exception import Disconnected

from chatproject.assets import ASGIApp, Receive, Scope, Send

# Daphne's word for it, and everybody else's.
GONE = (Disconnected, OSError)


def with_gone_pages(app: ASGIApp) -> ASGIApp:
    """The application hears that the page has gone when it next listens, as ever."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        async def say(message: Mapping[str, Any]) -> None:
            try:
                await send(message)
            except GONE:
                return

        await app(scope, receive, say)

    return serve
