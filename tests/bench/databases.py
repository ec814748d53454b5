"""A database of its own for a benchmark: `TEST_DATABASE=postgres` starts a PostgreSQL, else it is SQLite."""
from __future__ import annotations

import tests.bench.settings_first  # noqa: F401  imported for what it does

# isort: split
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection

COLUMNS: list[dict[str, Any]] = [
    {"name": "Company", "type": "text", "required": True},
    {"name": "Status", "type": "select", "options": ["Open", "Applied", "Interview", "Offer", "Closed"]},
    {"name": "Salary", "type": "number"},
    {"name": "Due", "type": "date"},
    {"name": "Remote", "type": "boolean"},
    {"name": "Note", "type": "text"},
]
STATUS = COLUMNS[1]["options"]


def prepare() -> User:
    """An empty database with one person."""
    call_command("migrate", verbosity=0)
    print(f"database: {connection.vendor}")
    return User.objects.create_user("bench")


def cells(number: int) -> dict[str, Any]:
    """One row by column name; the values repeat after a few thousand rows."""
    return {
        "Company": f"Company {number * 7919 % 100_003}",
        "Status": STATUS[number % 5],
        "Salary": 30_000 + number * 37 % 90_001,
        "Due": f"20{number % 30 + 10}-{number % 12 + 1:02}-{number % 28 + 1:02}",
        "Remote": number % 3 == 0,
        "Note": f"Heard of it at a fair, number {number}; to be called back",
    }


@dataclass(frozen=True)
class Work:
    """Something to measure: `make` is not measured, and what it gives is what `do` gets."""

    do: Callable[[Any], Any]
    make: Callable[[], Any] = lambda: None

    def seconds(self) -> float:
        """How long one run takes."""
        made = self.make()
        began = time.perf_counter()
        self.do(made)
        return time.perf_counter() - began


def beside(ours: Work, *, bare: Work, times: int) -> tuple[float, float, float]:
    """Median seconds of both and the median of their ratios: run by turns, so that a busy machine is busy for both."""
    pairs = [(ours.seconds(), bare.seconds()) for _ in range(times)]
    return median(one for one, _ in pairs), median(two for _, two in pairs), median(one / two for one, two in pairs)
