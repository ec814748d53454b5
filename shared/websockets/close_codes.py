"""Close codes, and the socket of URLs that have none."""
from __future__ import annotations

from channels.generic.websocket import AsyncWebsocketConsumer

# The object is missing, or belongs to others. The page does not connect again.
NOT_FOUND = 4404
# The credential does not hold, or the right to see the object has ended. The page does not connect again.
REVOKED = 4403
# The user has opened too many newer sockets. The page connects again when the user returns to it.
TOO_MANY = 4429
# The process has as many sockets as it may. The page connects again later.
FULL = 4503
# Messages were lost because the socket did not take them in time. The page connects again and reads everything.
OVERFLOWED = 1013


class NoSocket(AsyncWebsocketConsumer):
    """Accepts the socket only to close it: browsers show the close code of no other refusal."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(NOT_FOUND)
