"""Another user, who reads and writes a table of their own while something else loads the server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from django.contrib.auth.models import User

from tests.chat.stream_client import Browser
from tests.tables.sample_tables import write_table


class Asked(NamedTuple):
    """An answer's status, how many seconds it took, and for how many of them the server's threads worked meanwhile.

    Beside other programs it takes longer than on a machine of its own; what the server does meanwhile is the same.
    """

    status: int
    seconds: float
    worked: float


class Others:
    """Their requests, and what they were answered. `worked`: for how long the server's threads have worked so far."""

    def __init__(self, address: str, user: User, *, worked: Callable[[], float] = lambda: 0.0) -> None:
        self._worked = worked
        self._browser = Browser(address, user)
        self._path = f"/api/tables/{write_table(user, [('Name', 'text')], []).pk}/rows/"
        self.reads: list[Asked] = []
        self.writes: list[Asked] = []

    def ask(self) -> None:
        """Read and write once."""
        self.reads.append(self._timed("GET", None))
        self.writes.append(self._timed("POST", {"Name": "Ada"}))

    def ask_uncounted(self) -> None:
        """Read and write once; how long it takes does not matter."""
        self._timed("GET", None)
        self._timed("POST", {"Name": "Ada"})

    def ask_while(self, running: Callable[[], bool], *, at_least: int = 5) -> None:
        """Read and write until nothing runs any more."""
        enough = len(self.writes) + at_least
        while running() or len(self.writes) < enough:
            self.ask()

    def are_served(self) -> bool:
        """Return whether all that was asked succeeded."""
        return {each.status for each in self.reads} == {200} and {each.status for each in self.writes} == {201}

    def _timed(self, method: str, body: Any) -> Asked:
        began, worked = time.monotonic(), self._worked()
        status = self._browser.request(method, self._path, body)[0]
        return Asked(status, time.monotonic() - began, self._worked() - worked)


def percentile(seconds: Iterable[float]) -> float:
    """Return the 99th percentile."""
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
