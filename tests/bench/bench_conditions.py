"""Measure how long proposals with conditions block other writers; `python -m tests.bench.bench_conditions`.

A second connection requests the write lock repeatedly, as any other request would. The baseline, alternating with it,
is a transaction that only updates as many rows with bare statements.
"""
from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, connections, transaction
from django.test import Client

from tables.models import Row, Table
from tables.selectors import table_shape
from tests.bench.databases import Work, prepare, seeded

ROWS = 45_000
CHANGED = 10_000
Json = dict[str, Any]


class OtherWriter:
    """A connection that locks the table for a moment, repeatedly; `longest` is its longest wait."""

    def __init__(self, table: Table) -> None:
        self._table, self._over, self.longest = table, threading.Event(), 0.0

    def run(self) -> None:
        try:
            while not self._over.is_set():
                began = time.perf_counter()
                with transaction.atomic():
                    Table.objects.select_for_update().get(pk=self._table.pk)
                self.longest = max(self.longest, time.perf_counter() - began)
                time.sleep(0.002)
        finally:
            connections.close_all()

    @contextmanager
    def working(self) -> Iterator[None]:
        thread = threading.Thread(target=self.run)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()


def waited(table: Table, work: Callable[[], Any]) -> tuple[float, float]:
    """Return the longest wait of another writer during the work, and the duration of the work."""
    other = OtherWriter(table)
    with other.working():
        took = Work(lambda _: work()).seconds()
    return other.longest, took


def contains(count: int, *, first: int) -> list[Json]:
    return [
        {"column": "Note", "op": "contains", "value": f"number {number};"} for number in range(first, first + count)
    ]


def updates(operations: int, *, conditions: int) -> Json:
    """Return updates by conditions, each of which matches its own row or several."""
    return {
        "operations": [
            {
                "action": "update",
                "where": {"or": contains(conditions, first=number * conditions)},
                "changes": {"Status": "Closed"},
            }
            for number in range(operations)
        ]
    }


def main() -> None:
    """Measure conditions that fit, conditions that do not, and many rows matched by one condition."""
    user = prepare()
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)

    def send(table: Table, body: Json) -> int:
        answer = client.post(f"/api/tables/{table.pk}/proposals/data/", body, content_type="application/json")
        return answer.status_code

    def measured(name: str, body: Json, *, rows: int = ROWS) -> None:
        table = seeded(user, rows=rows)
        status: list[int] = []
        wait, took = waited(table, lambda: status.append(send(table, body)))
        bare, _ = waited(table, lambda: bare_update(table))
        size = len(json.dumps(body)) / 1e6
        print(
            f"{name:44} {size:4.1f} MB: {status[0]}, {took:6.2f} s; others waited {wait * 1e3:6.0f} ms,"
            f" during bare updates {bare * 1e3:5.0f} ms: {wait / bare:4.1f} × (target ≤ 1,000 ms)",
            flush=True,
        )

    def bare_update(table: Table) -> None:
        column = table_shape(table).columns[1].id
        found = list(Row.objects.filter(table=table).order_by("position").values_list("pk", "data")[:CHANGED])
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(
                "UPDATE tables_row SET data = %s, version = version + 1 WHERE id = %s",
                [(json.dumps({**data, column: "Open"}), pk) for pk, data in found],
            )

    measured("200 updates of 50 conditions", updates(200, conditions=50))
    measured("200 updates of 1 condition", updates(200, conditions=1))
    measured("40 updates of 5 conditions", updates(40, conditions=5))
    everything = {"column": "Company", "op": "not_empty"}
    changes = {"action": "update", "where": everything, "changes": {"Remote": None, "Salary": 1}}
    measured("10,000 updates by one condition", {"operations": [changes]}, rows=CHANGED)
    deletes = {"action": "delete", "where": everything}
    measured("10,000 deletes by one condition", {"operations": [deletes]}, rows=CHANGED)


if __name__ == "__main__":
    main()
