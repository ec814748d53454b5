"""A database of its own for a benchmark: `TEST_DATABASE=postgres` starts a PostgreSQL, else it is SQLite."""
from __future__ import annotations

import tests.bench.settings_first  # noqa: F401  imported for what it does

# isort: split
import time
from collections.abc import Callable
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


def quickest(work: Callable[[], Any], *, times: int) -> float:
    """Seconds of the quickest run: other work on the machine only ever makes it slower."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)
