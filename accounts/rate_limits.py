"""How often somebody may call: counted by the minute in the database, where every process sees it."""
from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from accounts.models import CallCount

SECONDS = 60
MOST_HELD = 10_000
# A caller within bounds costs one statement in so many calls: what a process has claimed, it hands out by itself.
CLAIMS_A_MINUTE = 500


@dataclass(frozen=True)
class Rate:
    """Where a caller stands: `remaining` calls until the count starts again in `reset` seconds."""

    limit: int
    remaining: int
    reset: int
    exceeded: bool = False


@dataclass
class _Held:
    """What this process has claimed of a caller's minute and not handed out; `count` is what all have claimed."""

    minute: int
    left: int
    count: int


class Rates:
    """One for each process. All of them together grant a caller at most its limit in a minute."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, int], _Held] = {}
        self._lock = threading.Lock()

    def take(self, limits: dict[str, int], *, now: datetime) -> Rate:
        """Counts one call under each key of `limits` (key → calls a minute); the rate that is nearest to its end.

        What the first key refuses is not counted under the next: a token that runs wild leaves its person theirs.
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
        """How many calls remain after this one; −1 when there was none left for it."""
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
        if len(self._held) > MOST_HELD:
            self._held = {key: held for key, held in self._held.items() if held.minute >= before}


def _claim(key: str, *, minute: int, calls: int) -> int:
    """Adds calls to a caller's minute; how many it has then. The first ones of a minute clear away what is old."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO accounts_callcount AS c (key, minute, calls) VALUES (%s, %s, %s) ON CONFLICT (key) DO UPDATE"
            # Another process's clock may be a little behind: it counts in the later minute.
            " SET calls = CASE WHEN excluded.minute > c.minute THEN 0 ELSE c.calls END + excluded.calls,"
            " minute = CASE WHEN excluded.minute > c.minute THEN excluded.minute ELSE c.minute END"
            " RETURNING calls",
            [key, minute, calls],
        )
        count: int = cursor.fetchone()[0]
    if count == calls:
        CallCount.objects.filter(minute__lt=minute - SECONDS).delete()
    return count
