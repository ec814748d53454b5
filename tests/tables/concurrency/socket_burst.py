"""A program: sockets that connect at the same moment, each of which waits for one change and leaves.

It takes {"address", "pages": [[path, session key], …]} as one line of JSON. It writes {"answered", "seconds"} when
every socket has had its first message or was closed, and {"heard", "closed"} at the end. A process of its own, so that
it does not slow what measures.
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
    """`closed` counts the close codes of sockets that the server ended before they heard of the change."""

    def __init__(self, address: str, pages: list[tuple[str, str]]) -> None:
        self._address = address
        self._pages = pages
        self._began = time.monotonic()
        self._answered = 0
        self.closed = Counter[str]()

    async def run(self) -> int:
        """Return how many heard of the change."""
        return sum(await asyncio.gather(*(self._visit(path, session) for path, session in self._pages)))

    async def _visit(self, path: str, session: str) -> bool:
        headers = {"Cookie": f"sessionid={session}"}
        url = f"ws://{urlsplit(self._address).netloc}{path}"
        try:
            async with connect(
                url, origin=Origin(self._address), additional_headers=headers, open_timeout=SECONDS, ping_interval=None
            ) as socket:
                await self._joins(socket)
                async for message in socket:
                    # Most are long lists of users.
                    if '"change"' in str(message[:20]):
                        return True
                self.closed[str(socket.close_code)] += 1
        except Exception as problem:
            self.closed[repr(problem)] += 1
        return False

    async def _joins(self, socket: ClientConnection) -> None:
        try:
            await socket.recv()
        finally:
            self._answered += 1
            if self._answered == len(self._pages):
                say({"answered": self._answered, "seconds": time.monotonic() - self._began})


def say(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    given = json.loads(sys.stdin.readline())
    burst = Burst(given["address"], given["pages"])
    say({"heard": asyncio.run(burst.run()), "closed": burst.closed})
