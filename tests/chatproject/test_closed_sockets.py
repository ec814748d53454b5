"""A page that goes while its socket is being let in, or told something, is no fault."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from autobahn.exception import Disconnected

from chatproject.server.sockets import with_disconnects_ignored

LEFT = {"type": "websocket.disconnect", "code": 1001}


def told(*, refused: Exception) -> list[str]:
    """What an application hears that accepts, says something and listens, while the server refuses what it says."""
    heard: list[str] = []

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.send", "text": "{}"})
        heard.append((await receive())["type"])

    async def receive() -> Mapping[str, Any]:
        return LEFT

    async def send(message: Mapping[str, Any]) -> None:
        if message["type"] == "websocket.send":
            raise refused

    async_to_sync(with_disconnects_ignored(application))({"type": "websocket"}, receive, send)
    return heard


@pytest.mark.parametrize("refused", [Disconnected("closed"), ConnectionResetError()], ids=["Daphne's word", "others'"])
def test_what_is_said_to_a_page_that_has_gone_is_no_fault_and_the_going_is_heard(refused: Exception) -> None:
    assert told(refused=refused) == ["websocket.disconnect"]


def test_what_is_wrong_otherwise_is_told() -> None:
    with pytest.raises(ValueError, match="not a message"):
        told(refused=ValueError("not a message"))
