"""The project served by uvicorn on a free loopback port, in a thread of this process."""
from __future__ import annotations

import threading
from typing import Any

import uvicorn

TIMEOUT = 120.0  # seconds


class ReadyServer(uvicorn.Server):
    """A server with an event that is set when it serves."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.ready.set()


def start() -> str:
    """Start serving and return the address. The server ends with the process."""
    config = uvicorn.Config("chatproject.server.application:application", port=0, lifespan="on", log_level="error")
    server = ReadyServer(config)
    threading.Thread(target=server.run, name="uvicorn", daemon=True).start()
    assert server.ready.wait(TIMEOUT), "uvicorn did not start"
    host, port = server.servers[0].sockets[0].getsockname()[:2]
    return f"http://{host}:{port}"
