"""A program that connects many sockets at once, each of which waits for one change and disconnects.

It takes {"address", "pages": [[path, session key], …]} as one line of JSON. It writes {"answered", "seconds"} when
every socket has received its first message or was closed, and {"received", "closed"} at the end. It runs in a separate
process so that it does not slow down the measuring one.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

SECONDS = 120.0


class Burst:
    """A burst of sockets; `closed` counts the close codes of those closed before they received the change."""

    def __init__(self, address: str, pages: list[tuple[str, str]]) -> None:
        self._address = address
        self._pages = pages
        self._started = time.monotonic()
        self._answered = 0
        self.closed = Counter[str]()

    async def run(self) -> int:
        """Return the number of sockets that received the change."""
        return sum(await asyncio.gather(*(self._visit(path, session) for path, session in self._pages)))

    async def _visit(self, path: str, session: str) -> bool:
        headers = {"Cookie": f"sessionid={session}"}
        url = f"ws://{urlsplit(self._address).netloc}{path}"
        try:
            async with connect(
                url, origin=Origin(self._address), additional_headers=headers, open_timeout=SECONDS, ping_interval=None
            ) as socket:
                await self._receive_first(socket)
                async for message in socket:
                    # Most messages are long lists of users and need not be parsed.
                    if '"change"' in str(message[:20]):
                        return True
                self.closed[str(socket.close_code)] += 1
        except Exception as error:
            self.closed[repr(error)] += 1
        return False

    async def _receive_first(self, socket: ClientConnection) -> None:
        try:
            await socket.recv()
        finally:
            self._answered += 1
            if self._answered == len(self._pages):
                write({"answered": self._answered, "seconds": time.monotonic() - self._started})


def write(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    request = json.loads(sys.stdin.readline())
    burst = Burst(request["address"], request["pages"])
    write({"received": asyncio.run(burst.run()), "closed": burst.closed})
