"""Databases of benchmarks: `TEST_DATABASE=postgres` starts PostgreSQL, otherwise SQLite is used."""
from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tables.column_types.row_digest import RowDigest
from tables.models import Table
from tables.operations import Origin
from tables.selectors import get_table, table_shape
from tables.services import create_table

COLUMNS: list[dict[str, Any]] = [
    {"name": "Company", "type": "text", "required": True},
    {"name": "Status", "type": "select", "options": ["Open", "Applied", "Interview", "Offer", "Closed"]},
    {"name": "Salary", "type": "number"},
    {"name": "Due", "type": "date"},
    {"name": "Remote", "type": "boolean"},
    {"name": "Note", "type": "text"},
]
STATUS = COLUMNS[1]["options"]
COPIED = "table_id, position, version, data, search_text, created_at, updated_at"
BATCH_SIZE = 10_000


def prepare() -> User:
    """Create an empty database with one user."""
    call_command("migrate", verbosity=0)
    print(f"database: {connection.vendor}")
    return User.objects.create_user("bench")


def cells(number: int) -> dict[str, Any]:
    """Return one row by column name; the values repeat after a few thousand rows."""
    return {
        "Company": f"Company {number * 7919 % 100_003}",
        "Status": STATUS[number % 5],
        "Salary": 30_000 + number * 37 % 90_001,
        "Due": f"20{number % 30 + 10}-{number % 12 + 1:02}-{number % 28 + 1:02}",
        "Remote": number % 3 == 0,
        "Note": f"Heard of it at a fair, number {number}; to be called back",
    }


def seeded(
    user: User,
    *,
    rows: int,
    name: str = "Bench",
    definitions: list[dict[str, Any]] = COLUMNS,
    row: Callable[[int], dict[str, Any]] = cells,
) -> Table:
    """Create a table of this many distinct rows, written without services, then analyzed as after a while."""
    table = create_table(user=user, name=name, columns=definitions, origin=Origin("api"))
    columns = table_shape(table).columns
    ids, digest, now = {column.name: column.id for column in columns}, RowDigest(columns), timezone.now()
    stamp = now if connection.vendor == "postgresql" else connection.ops.adapt_datetimefield_value(now)
    for start in range(0, rows, BATCH_SIZE):
        numbers = range(start, min(start + BATCH_SIZE, rows))
        data = [{ids[name]: value for name, value in row(number).items()} for number in numbers]
        copied([(table.pk, n, 1, *digest.of(each), stamp, stamp) for n, each in zip(numbers, data, strict=True)])
    table.next_position, table.counted_rows, table.counted_version = rows, rows, table.version
    table.save()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE tables_row" if connection.vendor == "postgresql" else "ANALYZE")
    return get_table(user, table.pk)


def copied(rows: list[tuple[Any, ...]]) -> None:
    """Write prepared rows in one `COPY` (PostgreSQL) or `executemany` (SQLite)."""
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.cursor.copy(f"COPY tables_row ({COPIED}) FROM STDIN") as copy:
                for each in rows:
                    copy.write_row(each)
        else:
            places = ", ".join(["%s"] * len(COPIED.split(",")))
            cursor.executemany(f"INSERT INTO tables_row ({COPIED}) VALUES ({places})", rows)


@dataclass(frozen=True)
class Work:
    """Work to measure: `make` is not measured, and its result is passed to `do`."""

    do: Callable[[Any], Any]
    make: Callable[[], Any] = lambda: None

    def seconds(self) -> float:
        """Return the duration of one run."""
        created = self.make()
        began = time.perf_counter()
        self.do(created)
        return time.perf_counter() - began


def compare(ours: Work, *, bare: Work, times: int) -> tuple[float, float, float]:
    """Return median seconds of both and the median of their ratios, alternating so that other load affects both."""
    pairs = [(ours.seconds(), bare.seconds()) for _ in range(times)]
    return median(one for one, _ in pairs), median(two for _, two in pairs), median(one / two for one, two in pairs)


def by_hand(read: Callable[[], Any]) -> Work:
    """Return work that repeats the statements of this read and parses the cells, with nothing else."""
    with CaptureQueriesContext(connection) as sent:
        read()
    texts = [query["sql"] for query in sent.captured_queries]

    def repeat(_: Any) -> None:
        with connection.cursor() as cursor:
            for text in texts:
                cursor.execute(text)
                for row in cursor.fetchall():
                    json.loads(row[-1])

    return Work(repeat)
