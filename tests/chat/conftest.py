"""What tests of the chat may ask for."""
from __future__ import annotations

import threading
import time
from collections.abc import Iterator

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
