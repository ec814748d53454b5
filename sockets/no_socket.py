"""Answers sockets at addresses where there is none."""
from __future__ import annotations

from channels.generic.websocket import AsyncWebsocketConsumer

# Why a socket was closed, as its page hears it.
NOT_FOUND = 4404
REVOKED = 4403


class NoSocket(AsyncWebsocketConsumer):
    """Takes the socket only to close it: a browser hears the code of no other refusal."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(NOT_FOUND)
