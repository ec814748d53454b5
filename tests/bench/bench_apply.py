"""Prints what applying 10,000 operations costs beside the bare statements; `python -m tests.bench.bench_apply`.

Through the API: the request, all checks, the record with the way back. Beside it what any Django program would do to
the same rows of the same database.
"""
from __future__ import annotations

import tests.bench.settings_first  # noqa: F401  imported for what it does

# isort: split
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.utils import timezone

from tables.column_types import cells_hash, search_text
from tables.models import Row, Table
from tables.operations import Origin
from tables.selectors import table_shape
from tables.services import create_table
from tests.bench.databases import COLUMNS, cells, prepare, quickest

ROWS = 10_000
# A proposal may hold 5,000 written operations; the other doors take 10,000.
TIMES = 3


class Bench:
    """One table, and a client that is signed in."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.client = Client(SERVER_NAME="localhost")
        self.client.force_login(user)
        self.table = self.another()

    def another(self) -> Table:
        return create_table(user=self.user, name="Bench", columns=COLUMNS, origin=Origin("api"))

    def send(self, method: str, below: str, body: Any) -> None:
        where = f"/api/tables/{self.table.pk}/{below}"
        answer = getattr(self.client, method)(where, body, content_type="application/json")
        assert answer.status_code in (200, 201), answer.content[:300]

    def filled(self) -> list[int]:
        """A new table with 10,000 rows; their ids."""
        self.table = self.another()
        self.send("post", "rows/", {"rows": [cells(number) for number in range(ROWS)]})
        return list(Row.objects.filter(table=self.table).order_by("pk").values_list("pk", flat=True))


def bare_rows(table: Table) -> list[Row]:
    shape = table_shape(table)
    ids = {column.name: column.id for column in shape.columns}
    rows = [{ids[name]: value for name, value in cells(number).items()} for number in range(ROWS)]
    return [
        Row(
            table=table, position=position, data=data,
            search_text=search_text(shape.columns, data), cells_hash=cells_hash(shape.columns, data),
        )
        for position, data in enumerate(rows)
    ]  # fmt: skip


def told(name: str, *, ours: float, bare: float, of: str) -> None:
    print(f"{name:28} {ours * 1e3:7.0f} ms, {of} {bare * 1e3:6.0f} ms: {ours / bare:4.1f} × (target ≤ 3)")


def measured(prepare_one: Callable[[], Any], work: Callable[[Any], Any]) -> float:
    """The quickest of three, each on a new table made outside the measure."""
    return min(_timed(prepare_one(), work=work) for _ in range(TIMES))


def _timed(made: Any, *, work: Callable[[Any], Any]) -> float:
    return quickest(lambda: work(made), times=1)


def adds(bench: Bench) -> None:
    half = [{"action": "add", "data": cells(number)} for number in range(ROWS // 2)]
    proposal = {"reasoning": "", "operations": half}
    rows = {"rows": [cells(number) for number in range(ROWS)]}

    def renew() -> None:
        bench.table = bench.another()

    by_rows = measured(renew, lambda _: bench.send("post", "rows/", rows))

    def twice(_: Any) -> None:
        bench.send("post", "proposals/data/", proposal)
        bench.send("post", "proposals/data/", proposal)

    by_proposal = measured(renew, twice)

    def bulk_create(rows: list[Row]) -> None:
        with transaction.atomic():
            Row.objects.bulk_create(rows)

    bare = measured(lambda: bare_rows(bench.another()), bulk_create)
    told("10,000 adds, rows/", ours=by_rows, bare=bare, of="bulk_create")
    told("10,000 adds, two proposals", ours=by_proposal, bare=bare, of="bulk_create")


def updates(bench: Bench) -> None:
    ours = measured(
        bench.filled,
        lambda ids: bench.send("patch", "rows/", {"rows": [{"id": pk, "data": {"Salary": 1}} for pk in ids]}),
    )

    def rows_changed() -> list[Row]:
        ids = bench.filled()
        salary = table_shape(bench.table).columns[2].id
        found = list(Row.objects.filter(pk__in=ids[:5_000])) + list(Row.objects.filter(pk__in=ids[5_000:]))
        for row in found:
            row.data = {**row.data, salary: 1}
        return found

    def bulk_update(rows: list[Row]) -> None:
        with transaction.atomic():
            Row.objects.bulk_update(rows, ["data", "search_text", "cells_hash"], batch_size=1_000)

    bare = measured(rows_changed, bulk_update)
    told("10,000 updates of one cell", ours=ours, bare=bare, of="bulk_update")


def deletes(bench: Bench) -> None:
    ours = measured(bench.filled, lambda ids: bench.send("post", "rows/delete/", {"ids": ids}))
    proposal = {
        "reasoning": "", "operations": [{"action": "delete", "where": {"column": "Company", "op": "not_empty"}}],
    }  # fmt: skip
    by_condition = measured(bench.filled, lambda _: bench.send("post", "proposals/data/", proposal))

    def soft_delete(ids: list[int]) -> None:
        with transaction.atomic():
            for start in range(0, ROWS, 5_000):
                Row.objects.filter(pk__in=ids[start : start + 5_000]).update(deleted_at=timezone.now())

    bare = measured(bench.filled, soft_delete)
    told("10,000 deletes", ours=ours, bare=bare, of="update of deleted_at")
    told("10,000 deletes, by a condition", ours=by_condition, bare=bare, of="update of deleted_at")


def main() -> None:
    """Adds, updates, deletes."""
    bench = Bench(prepare())
    adds(bench)
    updates(bench)
    deletes(bench)


if __name__ == "__main__":
    main()
