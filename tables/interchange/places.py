"""How many large files this process makes at a time: each holds a connection, and a view of the database as it was."""
from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.utils.translation import gettext as _

from tables.exceptions import TooMany

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
                detail = _("Other files are being made at this moment. Try again in a few seconds.")
                raise TooMany(detail, extra={"retry_after": RETRY_AFTER})
            if client and client in self._clients:
                detail = _("Another file is being made for you at this moment. Try again in a few seconds.")
                raise TooMany(detail, extra={"retry_after": RETRY_AFTER})
            self._free -= 1
            self._clients.add(client)
        try:
            yield
        finally:
            with self._lock:
                self._free += 1
                self._clients.discard(client)


places = Places(AT_ONCE)
