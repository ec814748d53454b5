"""A fair queue of the transactions of a process that write to the same SQLite file.

SQLite allows one writer at a time and has no queue: any waiting writer may be next, so a writer may starve.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

# Half-life, in seconds, of the writing time of a client.
HALF_LIFE = 5.0
# Above this number of clients, those with a negligible writing time are removed.
MAX_CLIENTS = 1_000
NEGLIGIBLE = 0.001  # seconds


@dataclass(eq=False)
class WriteTicket:
    """A position in the queue. `since` is the time at which it was granted."""

    client: str | None
    granted: threading.Event = field(default_factory=threading.Event)
    since: float = 0.0


class WriteQueue:
    """Grants one ticket at a time: to the client with the least recent writing time, then in order of arrival.

    Transactions without a client (turns of the assistant, background work) come before all clients that have written.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._mutex = threading.Lock()
        self._holder: WriteTicket | None = None
        self._waiting: list[WriteTicket] = []
        # By client: seconds of writing, and the time for which the decayed value was computed.
        self._used: dict[str, tuple[float, float]] = {}

    @property
    def waiting(self) -> int:
        """The number of transactions that wait."""
        return len(self._waiting)

    def enter(self, client: str | None) -> WriteTicket:
        """Return a ticket, which is granted now or later."""
        ticket = WriteTicket(client)
        with self._mutex:
            self._waiting.append(ticket)
            self._grant()
        return ticket

    def leave(self, ticket: WriteTicket) -> None:
        """Return a ticket, whether it was granted or not, and grant the next."""
        with self._mutex:
            if self._holder is ticket:
                self._count(ticket)
                self._holder = None
            elif ticket in self._waiting:
                self._waiting.remove(ticket)
            self._grant()

    def _grant(self) -> None:
        if self._holder is not None or not self._waiting:
            return
        # `min` returns the first of equal ones.
        self._holder = min(self._waiting, key=lambda ticket: self._used_by(ticket.client))
        self._waiting.remove(self._holder)
        self._holder.since = self._now()
        self._holder.granted.set()

    def _used_by(self, client: str | None) -> float:
        seconds, at = self._used.get(client or "", (0.0, 0.0))
        return float(seconds * 0.5 ** ((self._now() - at) / HALF_LIFE))

    def _count(self, ticket: WriteTicket) -> None:
        if ticket.client is None:
            return
        now = self._now()
        self._used[ticket.client] = (self._used_by(ticket.client) + now - ticket.since, now)
        if len(self._used) > MAX_CLIENTS:
            self._used = {client: used for client, used in self._used.items() if self._used_by(client) > NEGLIGIBLE}


_queues: dict[str, WriteQueue] = {}


def write_queue(path: str) -> WriteQueue:
    """Return the queue of a file, which all threads of this process share."""
    return _queues.setdefault(path, WriteQueue())
