"""Measure reading the first 100 rows against the same SQL; `python -m tests.bench.bench_first_page [rows]`.

The table has 100,000 rows by default, and is measured again after `index_tables` has created the indexes for these
reads. Exact counts and estimates are measured separately. "By hand" means: the same statements, with the cells parsed.
"""
from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
import json
import sys
from typing import Any

from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils import timezone

from tables.models import Table
from tables.operations.queries.filters import Filter, parse_filter
from tables.operations.queries.sorts import SortKey, parse_sort
from tables.selectors import count_rows, read_rows, row_count, table_shape
from tables.services import record_column_use, update_cell_indexes
from tests.bench.databases import Work, by_hand, compare, prepare, seeded

ROWS = int(sys.argv[1]) if sys.argv[1:] else 100_000
PAGE = 100
TIMES = 21
# Milliseconds at 100,000 rows: without filter and sort, and with.
MAX_PLAIN = 15
MAX_VIEWED = {"postgresql": 40, "sqlite": 250}
OPEN = {"column": "Status", "op": "any_of", "value": ["Offer"]}
LATE = {"and": [OPEN, {"column": "Salary", "op": "gt", "value": 100_000}]}
VIEWS: dict[str, tuple[Any, str]] = {
    "unfiltered": (None, ""),
    "sorted by a number": (None, "-Salary"),
    "sorted by a text": (None, "Company"),
    "filtered by a select": (OPEN, ""),
    "filtered and sorted": (LATE, "-Salary"),
    "sorted by two columns": (None, "Due,-Company"),
}


def view(table: Table, *, name: str) -> tuple[Filter, tuple[SortKey, ...]]:
    raw, order = VIEWS[name]
    shape = table_shape(table)
    return parse_filter(raw, shape=shape, today=timezone.now().date()), parse_sort(order, shape=shape)


def report(table: Table, client: Client) -> None:
    """Print a line for each view."""
    shape = table_shape(table)
    for name, (raw, order) in VIEWS.items():
        wanted, sort = view(table, name=name)

        def read(wanted: Any = wanted, sort: Any = sort) -> Any:
            return read_rows(table, shape=shape, filter=wanted, sort=sort, limit=PAGE)

        query = {"limit": PAGE, **({"filter": json.dumps(raw)} if raw else {}), **({"sort": order} if order else {})}

        def ask(_: Any, query: Any = query) -> None:
            assert client.get(f"/api/tables/{table.pk}/rows/", query).status_code == 200

        def count(_: Any, wanted: Any = wanted) -> int:
            return count_rows(table, shape=shape, filter=wanted)

        def estimate(_: Any, wanted: Any = wanted) -> int:
            cache.clear()
            return row_count(table, shape=shape, filter=wanted, accuracy="estimate").value

        ask(None)
        ours, bare, ratio = compare(Work(lambda _, read=read: read()), bare=by_hand(read), times=TIMES)
        request_time, counted, _ = compare(Work(ask), bare=Work(count), times=5)
        estimated = min(Work(estimate).seconds() for _ in range(5))
        values = f"{estimate(None):,} of {count(None):,} rows" if wanted else "known"
        most = MAX_VIEWED[connection.vendor] if raw or order else MAX_PLAIN
        print(
            f"{name:24} {ours * 1e3:6.1f} ms (target ≤ {most}),"
            f" by hand {bare * 1e3:6.1f} ms: {ratio:4.1f} × (target ≤ 2);"
            f" the whole request {request_time * 1e3:6.1f} ms; counting {counted * 1e3:5.1f} ms,"
            f" estimating {estimated * 1e3:4.1f} ms ({values})",
            flush=True,
        )


def main() -> None:
    """Measure each view before and after creating indexes."""
    user = prepare()
    table, client = seeded(user, rows=ROWS), Client(SERVER_NAME="localhost")
    client.force_login(user)
    report(table, client)
    for name in VIEWS:
        wanted, sort = view(table, name=name)
        record_column_use(table, sort=sort, filter=wanted)
    took = Work(lambda _: update_cell_indexes(pause=lambda _: None)).seconds()
    print(f"with indexes, made in {took:.1f} s:")
    report(table, client)


if __name__ == "__main__":
    main()
