"""The order in which the transactions of a process write to a SQLite file.

SQLite has one writer at a time and no queue: of those who wait, any may be next, and one may wait for all others.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

# A client's time counts half after so many seconds.
HALF_LIFE = 5.0
# Clients that are remembered; then those that have hardly written are forgotten.
MAX_CLIENTS = 1_000
NEGLIGIBLE = 0.001  # seconds


@dataclass(eq=False)
class Turn:
    """A place in the queue; `since` is when the turn was granted."""

    client: str | None
    granted: threading.Event = field(default_factory=threading.Event)
    since: float = 0.0


class WriteTurns:
    """Grants turns one at a time: to the client that has written for the shortest time lately, then by arrival.

    Transactions without a client (turns of the assistant, background work) go before all clients that have written.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._mutex = threading.Lock()
        self._holder: Turn | None = None
        self._waiting: list[Turn] = []
        # By client: seconds of writing, as they counted at a time.
        self._used: dict[str, tuple[float, float]] = {}

    def take(self, client: str | None) -> Turn:
        """Return a turn, which is granted now or later."""
        turn = Turn(client)
        with self._mutex:
            self._waiting.append(turn)
            self._grant()
        return turn

    def give_back(self, turn: Turn) -> None:
        """End a turn, also one that was not granted yet, and grant the next."""
        with self._mutex:
            if self._holder is turn:
                self._count(turn)
                self._holder = None
            elif turn in self._waiting:
                self._waiting.remove(turn)
            self._grant()

    def _grant(self) -> None:
        if self._holder is not None or not self._waiting:
            return
        # `min` takes the first of equals.
        self._holder = min(self._waiting, key=lambda turn: self._used_by(turn.client))
        self._waiting.remove(self._holder)
        self._holder.since = self._now()
        self._holder.granted.set()

    def _used_by(self, client: str | None) -> float:
        seconds, at = self._used.get(client or "", (0.0, 0.0))
        return float(seconds * 0.5 ** ((self._now() - at) / HALF_LIFE))

    def _count(self, turn: Turn) -> None:
        if turn.client is None:
            return
        now = self._now()
        self._used[turn.client] = (self._used_by(turn.client) + now - turn.since, now)
        if len(self._used) > MAX_CLIENTS:
            self._used = {client: used for client, used in self._used.items() if self._used_by(client) > NEGLIGIBLE}


_turns: dict[str, WriteTurns] = {}


def turns_at(path: str) -> WriteTurns:
    """Return the turns of a file, which all threads of this process share."""
    return _turns.setdefault(path, WriteTurns())
