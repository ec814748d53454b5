"""What tests of the chat may ask for."""
from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from django.contrib.auth.models import User

from chat.turns.seams import use_transport
from tests.chat.browserlike import Browser
from tests.chat.entries import note_entries
from tests.scripted import ScriptedModel


@pytest.fixture
def notes() -> Iterator[None]:
    """The page of notes with its tools and payload types."""
    with note_entries():
        yield


@pytest.fixture
def browser(live_server_url: str, user: User) -> Browser:
    """The person's browser at a real Daphne."""
    return Browser(live_server_url, user)


@pytest.fixture
def script() -> Iterator[ScriptedModel]:
    """The model of every turn; replies are added by the test."""
    script = ScriptedModel()
    with use_transport(script.transport()):
        yield script


class ToldServer(uvicorn.Server):
    """Says when it is ready."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.ready.set()


@pytest.fixture(scope="session")
def uvicorn_address(daphne_address: str) -> str:
    """The same project behind uvicorn, in another thread with an event loop of its own: as good as another process."""
    server = ToldServer(uvicorn.Config("chatproject.asgi:application", port=0, lifespan="off", log_level="error"))
    threading.Thread(target=server.run, name="uvicorn", daemon=True).start()
    assert server.ready.wait(20), "uvicorn did not start"
    host, port = server.servers[0].sockets[0].getsockname()[:2]
    return f"http://{host}:{port}"
