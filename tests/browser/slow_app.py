"""Run the app with random delays, for tests that must not depend on the speed of the server.

`SLOW_MS=200 python3 manage.py test tests/browser` starts the app of all browser tests this way.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from typing import Any

import django
from django.core.management import execute_from_command_line

SLOW_MS = "SLOW_MS"


def delayed(application: Any, *, seconds: float) -> Any:
    """Return an ASGI application that waits before each request or socket, and a third as long before each message.

    The delays are exponentially distributed with mean `seconds` and at most five times as long, so that responses
    overtake each other.
    """

    async def wait(mean: float) -> None:
        await asyncio.sleep(min(random.expovariate(1 / mean), 5 * mean))

    async def slow_application(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await application(scope, receive, send)
            return

        async def slow_send(message: Any) -> None:
            await wait(seconds / 3)
            await send(message)

        await wait(seconds)
        await application(scope, receive, slow_send)

    return slow_application


def main() -> None:
    django.setup()
    from chatproject import asgi

    asgi.application = delayed(asgi.application, seconds=float(os.environ[SLOW_MS]) / 1000)
    execute_from_command_line(["manage.py", "start", *sys.argv[1:]])


if __name__ == "__main__":
    main()
