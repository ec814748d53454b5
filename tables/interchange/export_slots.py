"""How many large files this process makes at a time: each holds a connection, and a view of the database as it was."""
from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tables.exceptions import TooMany
from user_messages import declare

OTHER_EXPORTS_RUN = declare(
    "other_exports_run", "Other files are being created at the moment. Try again in a few seconds."
)
OWN_EXPORT_RUNS = declare(
    "own_export_runs", "Another file is being created for you at the moment. Try again in a few seconds."
)

AT_ONCE = 2
RETRY_AFTER = 5


class Places:
    """As many as may be taken at a time, one by each client; without a free one the client comes back later."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._clients: set[str] = set()
        self._lock = threading.Lock()

    @contextmanager
    def taking(self, client: str = "") -> Iterator[None]:
        """Hold a place inside. Raises TooMany at once when there is none, or when this client has one already.

        Without a client, as in management commands, only the number of places counts.
        """
        with self._lock:
            if not self._free:
                raise TooMany(OTHER_EXPORTS_RUN(), extra={"retry_after": RETRY_AFTER})
            if client and client in self._clients:
                raise TooMany(OWN_EXPORT_RUNS(), extra={"retry_after": RETRY_AFTER})
            self._free -= 1
            self._clients.add(client)
        try:
            yield
        finally:
            with self._lock:
                self._free += 1
                self._clients.discard(client)


places = Places(AT_ONCE)
