"""Measure filters on lists of options in a table of 100,000 rows; `python -m tests.bench.bench_lists`.

It prints the median processor time of this process (SQLite) or duration (PostgreSQL) of the first page and of the
count, before and after the index on the column was created. The command fails if a page of `has_any` with the index
takes longer than 20 ms.
"""
from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from django.db import connection
from django.utils import timezone

from tables.models import Table
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.sorts import parse_sort
from tables.selectors import count_rows, get_table, read_rows, table_shape
from tables.services import record_column_use, update_cell_indexes
from tests.bench.databases import COLUMNS, cells, prepare, seeded

ROWS, TIMES, MAX_MS = 100_000, 11, 20
TAGS = [f"Tag {number}" for number in range(20)]
LISTS = {"name": "Tags", "type": "multi_select", "options": [*TAGS, "Rare", "Never"]}
FILTERS = {
    "has_any of a frequent option": ("has_any", ["Tag 3"]),
    "has_any of a rare option (0.05 %)": ("has_any", ["Rare"]),
    "has_any of an unused option": ("has_any", ["Never"]),
    "has_all of two": ("has_all", ["Tag 3", "Tag 4"]),
    "has_none of two": ("has_none", ["Tag 3", "Tag 4"]),
}


def row(number: int) -> dict[str, Any]:
    chosen = [tag for index, tag in enumerate(TAGS) if number * 7919 % (index + 7) == 0]
    return {**cells(number), **({"Tags": [*chosen, *(["Rare"] if number % 2_000 == 9 else [])]} if chosen else {})}


def milliseconds(work: Callable[[], Any]) -> float:
    clock = time.process_time if connection.vendor == "sqlite" else time.perf_counter
    durations = []
    for _ in range(TIMES):
        began = clock()
        work()
        durations.append(clock() - began)
    return median(durations) * 1_000


def measure(table: Table) -> float:
    """Print the figures; return the longest duration of a page of `has_any`."""
    shape, longest = table_shape(table), 0.0
    for name, (op, value) in FILTERS.items():
        wanted = parse_filter({"column": "Tags", "op": op, "value": value}, shape=shape, today=timezone.localdate())
        page = milliseconds(lambda wanted=wanted: read_rows(table, shape=shape, filter=wanted))
        count = milliseconds(lambda wanted=wanted: count_rows(table, shape=shape, filter=wanted))
        record_column_use(table, filter=wanted)
        longest = max(longest, page) if op == "has_any" else longest
        print(f"{page:8.1f} ms page {count:8.1f} ms count  {name}")
    keys = parse_sort("Tags", shape=shape)
    print(f"{milliseconds(lambda: read_rows(table, shape=shape, sort=keys)):8.1f} ms page  sorted")
    return longest


def main() -> int:
    user = prepare()
    table = seeded(user, rows=ROWS, definitions=[*COLUMNS, LISTS], row=row)
    measure(table)
    began = time.perf_counter()
    print(f"indexes: {update_cell_indexes().created}, {time.perf_counter() - began:.1f} s")
    return int(measure(get_table(user, table.pk)) > MAX_MS)


if __name__ == "__main__":
    sys.exit(main())
