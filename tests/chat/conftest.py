"""What tests of the chat may ask for."""
from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn

from tests.chat.entries import note_entries


@pytest.fixture
def notes() -> Iterator[None]:
    """The page of notes with its tools and payload types."""
    with note_entries():
        yield


@pytest.fixture(scope="session")
def uvicorn_address(daphne_address: str) -> str:
    """The same project behind uvicorn, in another thread with an event loop of its own: as good as another process."""
    server = uvicorn.Server(uvicorn.Config("chatproject.asgi:application", port=0, lifespan="off", log_level="error"))
    threading.Thread(target=server.run, name="uvicorn", daemon=True).start()
    deadline = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < deadline, "uvicorn did not start"
        time.sleep(0.01)
    host, port = server.servers[0].sockets[0].getsockname()[:2]
    return f"http://{host}:{port}"
