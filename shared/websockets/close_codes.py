"""Close codes of WebSockets, and the consumer for URLs without a socket."""
from __future__ import annotations

from channels.generic.websocket import AsyncWebsocketConsumer

# The object does not exist or is not visible to the user. The page does not connect again.
NOT_FOUND = 4404
# The credential is invalid, or access to the object has ended. The page does not connect again.
REVOKED = 4403
# The user has opened too many newer sockets. The page connects again when the user returns to it.
TOO_MANY = 4429
# The process has reached its limit of sockets. The page connects again later.
FULL = 4503
# Messages were lost because the client did not read them in time. The page connects again and reads everything.
OVERFLOWED = 1013


class NotFoundConsumer(AsyncWebsocketConsumer):
    """Accepts the socket before closing it, because browsers do not reveal the close code of a refused handshake."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(NOT_FOUND)
