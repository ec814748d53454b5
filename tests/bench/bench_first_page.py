"""Prints what the first 100 of 100,000 rows cost beside the same SQL; `python -m tests.bench.bench_first_page`.

With PostgreSQL also after `index_tables` has made the indexes these readings ask for. The count is told separately.
"""
from __future__ import annotations

import tests.bench.settings_first  # noqa: F401  imported for what it does

# isort: split
import json
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tables.models import Table
from tables.operations import Origin
from tables.operations.filters import Filter, SortKey, parse_filter, parse_sort
from tables.selectors import count_rows, get_table, read_rows, table_shape
from tables.services import create_table, keep_indexes, note_use
from tables.services.row_writing import insert_rows
from tests.bench.databases import COLUMNS, cells, prepare, quickest

ROWS = 100_000
PAGE = 100
TIMES = 7
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


def large_table(user: User) -> Table:
    """100,000 rows of six columns."""
    table = create_table(user=user, name="Bench", columns=COLUMNS, origin=Origin("api"))
    shape = table_shape(table)
    ids = {column.name: column.id for column in shape.columns}
    for start in range(0, ROWS, 10_000):
        rows = [{ids[name]: value for name, value in cells(start + n).items()} for n in range(10_000)]
        insert_rows(table, rows, columns=shape.columns, user=user, now=timezone.now())
    table.save()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return get_table(user, table.pk)


def by_hand(read: Callable[[], Any]) -> Callable[[], Any]:
    """The statements that reading sends, sent again as they are, with nothing around them."""
    with CaptureQueriesContext(connection) as sent:
        read()
    texts = [query["sql"] for query in sent.captured_queries]

    def again() -> None:
        with connection.cursor() as cursor:
            for text in texts:
                cursor.execute(text)
                cursor.fetchall()

    return again


def view(table: Table, *, name: str) -> tuple[Filter, tuple[SortKey, ...]]:
    raw, order = VIEWS[name]
    shape = table_shape(table)
    return parse_filter(raw, shape=shape, today=timezone.now().date()), parse_sort(order, shape=shape)


def tell(table: Table, client: Client) -> None:
    """A line for each view."""
    shape = table_shape(table)
    for name, (raw, order) in VIEWS.items():
        wanted, sort = view(table, name=name)

        def read(wanted: Any = wanted, sort: Any = sort) -> Any:
            return read_rows(table, shape=shape, filter=wanted, sort=sort, limit=PAGE)

        def count(wanted: Any = wanted) -> int:
            return count_rows(table, shape=shape, filter=wanted)

        query = {"limit": PAGE, **({"filter": json.dumps(raw)} if raw else {}), **({"sort": order} if order else {})}

        def ask(query: Any = query) -> None:
            assert client.get(f"/api/tables/{table.pk}/rows/", query).status_code == 200

        ask()
        ours, bare = quickest(read, times=TIMES), quickest(by_hand(read), times=TIMES)
        counted, asked = quickest(count, times=3), quickest(ask, times=TIMES)
        print(
            f"{name:24} {ours * 1e3:6.1f} ms, by hand {bare * 1e3:6.1f} ms: {ours / bare:4.1f} × (target ≤ 2);"
            f" the whole request {asked * 1e3:6.1f} ms; counting {counted * 1e3:5.1f} ms"
        )


def main() -> None:
    """Each view; on PostgreSQL before and after the indexes."""
    user = prepare()
    table, client = large_table(user), Client(SERVER_NAME="localhost")
    client.force_login(user)
    tell(table, client)
    if connection.vendor == "postgresql":
        for name in VIEWS:
            wanted, sort = view(table, name=name)
            note_use(table, sort=sort, filter=wanted)
        took = quickest(keep_indexes, times=1)
        print(f"with indexes, made in {took:.1f} s:")
        tell(table, client)


if __name__ == "__main__":
    main()
