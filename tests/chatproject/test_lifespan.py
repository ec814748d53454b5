"""The lifespan of the application at a server that sends lifespan events, such as uvicorn."""
from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from chatproject.asgi_types import Receive, Scope, Send
from chatproject.server.lifespan import with_lifespan
from shared.websockets.event_stream import Access, until_server_ends
from tests.chat.stream_client import SECONDS

pytestmark = pytest.mark.django_db(transaction=True)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve nothing."""


@pytest.fixture
def server_signals() -> Iterator[list[int]]:
    """The signals that the server receives."""
    received: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: received.append(number))
    yield received
    signal.signal(signal.SIGTERM, before)


def test_a_signal_ends_endless_streams_before_the_server_waits_for_them(server_signals: list[int]) -> None:
    sent: list[Mapping[str, Any]] = []

    async def scenario() -> None:
        messages = asyncio.Queue[Mapping[str, Any]]()
        started = asyncio.Event()

        async def send(message: Mapping[str, Any]) -> None:
            sent.append(message)
            started.set()

        serve = asyncio.ensure_future(with_lifespan(application)({"type": "lifespan"}, messages.get, send))
        await messages.put({"type": "lifespan.startup"})
        await started.wait()
        open_stream, later_stream = Access(), Access()
        with until_server_ends(open_stream):
            signal.raise_signal(signal.SIGTERM)
            await open_stream.wake_up.wait()
        with until_server_ends(later_stream):
            await later_stream.wake_up.wait()
        await messages.put({"type": "lifespan.shutdown"})
        await serve

    asyncio.run(asyncio.wait_for(scenario(), SECONDS))
    assert server_signals == [signal.SIGTERM]
    assert [message["type"] for message in sent] == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
