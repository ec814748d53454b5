"""The project behind a real uvicorn on a free loopback port, in a thread of the process that asks."""
from __future__ import annotations

import threading
from typing import Any

import uvicorn

# When a server that never starts is given up; nothing is measured with it.
SECONDS = 120.0


class ToldServer(uvicorn.Server):
    """Says when it is ready."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.ready.set()


def start() -> str:
    """Start serving; returns the address. The server ends with the process."""
    server = ToldServer(uvicorn.Config("chatproject.application:application", port=0, lifespan="on", log_level="error"))
    threading.Thread(target=server.run, name="uvicorn", daemon=True).start()
    assert server.ready.wait(SECONDS), "uvicorn did not start"
    host, port = server.servers[0].sockets[0].getsockname()[:2]
    return f"http://{host}:{port}"
