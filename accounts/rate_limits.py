"""Limits of calls in a minute, counted in the database for all processes."""
from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from accounts.models import RequestCount

SECONDS = 60
MAX_HELD = 10_000
# A process claims this many calls in one statement, and grants them without further statements.
CLAIMS_A_MINUTE = 500


@dataclass(frozen=True)
class Rate:
    """The state of a caller: `remaining` calls until the count restarts in `reset` seconds."""

    limit: int
    remaining: int
    reset: int
    exceeded: bool = False


@dataclass
class _Held:
    """Calls that this process has claimed and not granted; `count` is the number that all processes have claimed."""

    minute: int
    left: int
    count: int


class Rates:
    """The counts of one process. All processes together grant a caller at most its limit in a minute."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, int], _Held] = {}
        self._lock = threading.Lock()

    def take(self, limits: dict[str, int], *, now: datetime) -> Rate:
        """Count a call under each key of `limits` (key → calls a minute) and return the rate nearest to its limit.

        A call that the first key refuses is not counted under the next, so that a token cannot use up its user's calls.
        """
        minute, second = divmod(int(now.timestamp()), SECONDS)
        left: dict[str, int] = {}
        for key, limit in limits.items():
            left[key] = self._take(key, limit=limit, minute=minute)
            if left[key] < 0:
                break
        nearest = min(left, key=lambda key: left[key])
        exceeded = left[nearest] < 0
        return Rate(limits[nearest], max(0, left[nearest]), SECONDS - second, exceeded=exceeded)

    def _take(self, key: str, *, limit: int, minute: int) -> int:
        """Return the remaining calls after this one, or −1 if there was none left."""
        with self._lock:
            held = self._held.get((key, limit))
            if held and held.minute == minute and held.left:
                held.left -= 1
                return limit - held.count + held.left
        step = max(1, limit // CLAIMS_A_MINUTE)
        count = _claim(key, minute=minute, calls=step)
        granted = min(step, limit - count + step)
        if granted <= 0:
            return -1
        count = min(count, limit)
        with self._lock:
            held = self._held.get((key, limit))
            over = held.left if held and held.minute == minute else 0
            self._forget(before=minute)
            self._held[key, limit] = _Held(minute, left=over + granted - 1, count=count)
            return limit - count + over + granted - 1

    def _forget(self, *, before: int) -> None:
        if len(self._held) > MAX_HELD:
            self._held = {key: held for key, held in self._held.items() if held.minute >= before}


def _claim(key: str, *, minute: int, calls: int) -> int:
    """Add calls to a caller's minute and return their number. The first ones of a minute delete old counts."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO accounts_requestcount AS c (key, minute, calls) VALUES (%s, %s, %s)"
            " ON CONFLICT (key) DO UPDATE"
            # The clock of another process may be behind: count in the later minute.
            " SET calls = CASE WHEN excluded.minute > c.minute THEN 0 ELSE c.calls END + excluded.calls,"
            " minute = CASE WHEN excluded.minute > c.minute THEN excluded.minute ELSE c.minute END"
            " RETURNING calls",
            [key, minute, calls],
        )
        count: int = cursor.fetchone()[0]
    if count == calls:
        RequestCount.objects.filter(minute__lt=minute - SECONDS).delete()
    return count
