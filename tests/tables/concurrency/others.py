"""Another user, who reads and writes a table of their own while something else loads the server."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User

from tests.chat.browserlike import Browser
from tests.tables.sample_tables import write_table


class Others:
    """The statuses of their requests, and how many seconds each took."""

    def __init__(self, address: str, user: User) -> None:
        self._browser = Browser(address, user)
        self._path = f"/api/tables/{write_table(user, [('Name', 'text')], []).pk}/rows/"
        self.reads: list[tuple[int, float]] = []
        self.writes: list[tuple[int, float]] = []

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
        return {status for status, _ in self.reads} == {200} and {status for status, _ in self.writes} == {201}

    def _timed(self, method: str, body: Any) -> tuple[int, float]:
        began = time.monotonic()
        status = self._browser.ask(method, self._path, body)[0]
        return status, time.monotonic() - began


def percentile(asked: list[tuple[int, float]]) -> float:
    """Return the 99th percentile of the seconds."""
    seconds = sorted(each for _, each in asked)
    return seconds[min(len(seconds) - 1, int(len(seconds) * 0.99))]
