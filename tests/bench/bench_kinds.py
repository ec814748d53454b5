"""Compare tables with many kinds of columns with tables of texts and numbers; `python -m tests.bench.bench_kinds`.

Both tables have 100,000 rows and as many columns. The figures are processor time of this process (SQLite) or duration
(PostgreSQL), alternating, with the median of the ratios. Filters and sorts find rows without an index, so that the
whole table is tested. The command fails if a ratio is above 1.15.
"""
from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from tables.models import Table
from tables.operations import Origin
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.sorts import parse_sort
from tables.selectors import count_rows, read_rows, table_shape
from tables.services import add_rows
from tests.bench.databases import prepare, seeded

ROWS, ADDED, TIMES, MAX_RATIO = 100_000, 1_000, 15, 1.15
TAGS = [f"Tag {number}" for number in range(20)]
KINDS: list[dict[str, Any]] = [
    {"name": "Title", "type": "text"},
    {"name": "Amount", "type": "number", "format": "currency", "currency": "EUR"},
    {"name": "Share", "type": "number", "format": "percent"},
    {"name": "Stars", "type": "number", "format": "rating", "maximum": 10},
    {"name": "Meeting", "type": "date", "format": "datetime"},
    {"name": "Tags", "type": "multi_select", "options": TAGS},
    {"name": "Lead", "type": "person"},
    {"name": "Page", "type": "text", "format": "url"},
]
PLAIN: list[dict[str, Any]] = [
    {"name": name, "type": "number" if name in ("Amount", "Share", "Stars", "Lead") else "text"}
    for name in (column["name"] for column in KINDS)
]


@dataclass(frozen=True)
class Pair:
    """Conditions on a column of each table that match about as many rows."""

    column: str
    of_kind: Any
    plain: Any


PAIRS = (
    Pair("Amount", ("gt", 999_990), ("gt", 999_990)),
    Pair("Share", ("lt", 0.001), ("lt", 0.001)),
    Pair("Meeting", ("eq", "2039-12-28"), ("contains", "2039-12-28")),
    Pair("Tags", ("has_any", ["Tag 19"]), ("contains", "Tag 19")),
    Pair("Lead", ("is_me", None), ("eq", 1)),
    Pair("Page", ("contains", "/99999"), ("contains", "/99999")),
)


def row(number: int, *, me: int, are_kinds: bool) -> dict[str, Any]:
    """Return a row of one of the tables. One of 1,000 has the user."""
    tags = [tag for index, tag in enumerate(TAGS) if number * 7919 % (index * 5 + 7) == 0]
    moment = f"20{number % 30 + 10}-{number % 12 + 1:02}-{number % 28 + 1:02}T{number % 24:02}:30Z"
    cells: dict[str, Any] = {
        "Title": f"Company {number * 7919 % 100_003}", "Amount": number * 37 % 1_000_003,
        "Share": number * 7 % 1_000 / 1_000, "Stars": number % 10 + 1, "Meeting": moment,
        "Page": f"https://example.com/pages/{number}",
    }  # fmt: skip
    if number % 1_000 == 9:
        cells["Lead"] = me if are_kinds else 1
    if tags:
        cells["Tags"] = tags if are_kinds else ", ".join(tags)
    return cells


def ratio(ours: Callable[[], Any], *, plain: Callable[[], Any]) -> tuple[float, float, float]:
    """Return median milliseconds of both, and the median of the ratios."""
    clock = time.process_time if connection.vendor == "sqlite" else time.perf_counter
    pairs = []
    for number in range(TIMES):
        taken = {}
        # In turns, because the second of two reads finds more in caches.
        for work in (ours, plain) if number % 2 else (plain, ours):
            began = clock()
            work()
            taken[work] = (clock() - began) * 1_000
        pairs.append((taken[ours], taken[plain]))
    return median(a for a, _ in pairs), median(b for _, b in pairs), median(a / b for a, b in pairs)


def filtered(table: Table, *, column: str, condition: Any) -> Callable[[], Any]:
    """Return a count of the rows that match, which tests all of them."""
    op, value = condition
    shape = table_shape(table)
    stated = {"column": column, "op": op, **({} if value is None else {"value": value})}
    wanted = parse_filter(stated, shape=shape, today=timezone.localdate())
    return lambda: count_rows(table, shape=shape, filter=wanted)


def sorted_by(table: Table, *, column: str) -> Callable[[], Any]:
    shape = table_shape(table)
    keys = parse_sort(column, shape=shape)
    return lambda: read_rows(table, shape=shape, sort=keys)


def inserted(user: User, table: Table, *, are_kinds: bool) -> Callable[[], Any]:
    rows = [row(number, me=user.pk, are_kinds=are_kinds) for number in range(ADDED)]
    return lambda: add_rows(user=user, table_id=table.pk, rows=rows, origin=Origin("api"))


def listed(user: User, table: Table) -> Callable[[], Any]:
    """Return a request for the first page; 15 of them, because one is too short to measure."""
    client = Client(headers={"host": "localhost"})
    client.force_login(user)

    def read() -> None:
        for _ in range(15):
            answer = client.get(f"/api/tables/{table.pk}/rows/", {"limit": 100, "count": "none"})
            assert len(json.loads(answer.content)["rows"]) == 100

    return read


def main() -> int:
    user = prepare()
    kinds, plain = (
        seeded(
            user, rows=ROWS, name=name, definitions=columns,
            row=lambda number, are_kinds=columns is KINDS: row(number, me=user.pk, are_kinds=are_kinds),
        )
        for name, columns in (("Kinds", KINDS), ("Plain", PLAIN))
    )  # fmt: skip
    works = {"15 first pages": (listed(user, kinds), listed(user, plain))}
    for pair in PAIRS:
        works[f"filter by {pair.column}: {pair.of_kind[0]}, {pair.plain[0]}"] = (
            filtered(kinds, column=pair.column, condition=pair.of_kind),
            filtered(plain, column=pair.column, condition=pair.plain),
        )
    for name in (column["name"] for column in KINDS[1:]):
        works[f"sort by {name}"] = sorted_by(kinds, column=name), sorted_by(plain, column=name)
    works[f"insert of {ADDED:,} rows"] = (
        inserted(user, kinds, are_kinds=True), inserted(user, plain, are_kinds=False)
    )  # fmt: skip
    worst = 0.0
    for name, (ours, bare) in works.items():
        ours(), bare()
        of_kinds, of_plain, ratio_ = ratio(ours, plain=bare)
        worst = max(worst, ratio_)
        print(f"{of_kinds:8.1f} ms {of_plain:8.1f} ms  {ratio_:5.2f} ×  {name}")
    return int(worst > MAX_RATIO)


if __name__ == "__main__":
    sys.exit(main())
