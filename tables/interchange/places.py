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
    """As many as may be taken at a time; whoever finds none comes back later."""

    def __init__(self, count: int) -> None:
        self._free = threading.BoundedSemaphore(count)

    @contextmanager
    def taking(self) -> Iterator[None]:
        """Holds a place inside. Raises TooMany at once where there is none."""
        if not self._free.acquire(blocking=False):
            detail = _("Other files are being made at this moment. Try again in a few seconds.")
            raise TooMany(detail, extra={"retry_after": RETRY_AFTER})
        try:
            yield
        finally:
            self._free.release()


places = Places(AT_ONCE)
