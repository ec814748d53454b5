"""Messages sent to a socket whose client has disconnected cause no error."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from autobahn.exception import Disconnected

from chatproject.server.sockets import with_disconnects_ignored

DISCONNECT = {"type": "websocket.disconnect", "code": 1001}


def messages_after_failed_send(*, error: Exception) -> list[str]:
    """Return the messages received by an application after the server failed to send its message."""
    received: list[str] = []

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.send", "text": "{}"})
        received.append((await receive())["type"])

    async def receive() -> Mapping[str, Any]:
        return DISCONNECT

    async def send(message: Mapping[str, Any]) -> None:
        if message["type"] == "websocket.send":
            raise error

    async_to_sync(with_disconnects_ignored(application))({"type": "websocket"}, receive, send)
    return received


@pytest.mark.parametrize("error", [Disconnected("closed"), ConnectionResetError()], ids=["Daphne", "other servers"])
def test_sending_after_a_disconnect_is_ignored(error: Exception) -> None:
    assert messages_after_failed_send(error=error) == ["websocket.disconnect"]


def test_other_errors_are_raised() -> None:
    with pytest.raises(ValueError, match="not a message"):
        messages_after_failed_send(error=ValueError("not a message"))
