"""Another user who reads and writes their own table while the server is under load."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from django.contrib.auth.models import User

from tests.chat.stream_client import Browser
from tests.tables.sample_tables import write_table


class TimedResponse(NamedTuple):
    """The status and duration of a request, and the processor time of the server during it.

    Other programs on the machine change the duration but not the processor time.
    """

    status: int
    seconds: float
    cpu_seconds: float


class OtherUser:
    """The requests of the user. `cpu_seconds` returns the processor time of the server so far."""

    def __init__(self, server_url: str, user: User, *, cpu_seconds: Callable[[], float] = lambda: 0.0) -> None:
        self._cpu_seconds = cpu_seconds
        self._browser = Browser(server_url, user)
        self._path = f"/api/tables/{write_table(user, [('Name', 'text')], []).pk}/rows/"
        self.reads: list[TimedResponse] = []
        self.writes: list[TimedResponse] = []

    def ask(self) -> None:
        """Read and write once."""
        self.reads.append(self._timed("GET", None))
        self.writes.append(self._timed("POST", {"Name": "Ada"}))

    def ask_uncounted(self) -> None:
        """Read and write once without recording the duration."""
        self._timed("GET", None)
        self._timed("POST", {"Name": "Ada"})

    def ask_while(self, running: Callable[[], bool], *, at_least: int = 5) -> None:
        """Read and write until `running` returns False, and at least this many times."""
        expected = len(self.writes) + at_least
        while running() or len(self.writes) < expected:
            self.ask()

    def are_served(self) -> bool:
        """Return whether all requests succeeded."""
        reads, writes = ({response.status for response in responses} for responses in (self.reads, self.writes))
        return (reads, writes) == ({200}, {201})

    def _timed(self, method: str, body: Any) -> TimedResponse:
        started, cpu_seconds = time.monotonic(), self._cpu_seconds()
        status = self._browser.request(method, self._path, body)[0]
        return TimedResponse(status, time.monotonic() - started, self._cpu_seconds() - cpu_seconds)


def percentile(seconds: Iterable[float]) -> float:
    """Return the 99th percentile."""
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
