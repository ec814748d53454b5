"""Measure how long bulk changes hold the write lock; `python -m tests.bench.bench_locks [rows …] [--only=words]`.

Each change is sent through the API, with and without an `Idempotency-Key`, whose transaction includes the whole view.
On SQLite the lock is that of all writers, from `BEGIN IMMEDIATE` to the commit; on PostgreSQL it is that of the table,
from its `SELECT … FOR UPDATE`. With other load on the machine, use the CPU time: it is that of this process, which
includes SQLite but not PostgreSQL. Each time is also a multiple of a baseline in the same run: a transaction that takes
the lock and adds 10,000 rows by `bulk_create`, without checks and without undo.
"""

from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
import csv
import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from statistics import median
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction

from tables.models import Change, Row, Table
from tables.operations import Origin
from tables.services import begin_import, create_table, receive_file, run_import
from tests.bench.bench_apply import Bench, bare_rows
from tests.bench.databases import COLUMNS, cells, prepare, seeded

SIZES = (1_000, 100_000)
OPERATIONS = 10_000
TIMES = 3
TARGET = 1.0
BARE = "a bare bulk_create"
IMPORT = "an import"
LOCKED = "BEGIN IMMEDIATE" if connection.vendor == "sqlite" else "FOR UPDATE"
KEYS = count()
Json = dict[str, Any]


@dataclass
class LockWatch:
    """Measures transactions from acquiring the lock to the end of their commit, and stores the longest."""

    wall: float = 0.0
    processor: float = 0.0
    _since: tuple[float, float] | None = field(default=None, init=False)
    _is_watched: bool = field(default=False, init=False)

    @contextmanager
    def watching(self) -> Iterator[None]:
        with connection.execute_wrapper(self._execute):
            yield

    def _execute(self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        # At `BEGIN`, Django does not accept on_commit callbacks yet.
        if self._since is not None and not self._is_watched and connection.in_atomic_block:
            self._is_watched = True
            transaction.on_commit(self._committed)
        result = execute(sql, params, many, context)
        if self._since is None and LOCKED in str(sql) and (LOCKED != "FOR UPDATE" or "tables_table" in str(sql)):
            self._since = (time.perf_counter(), time.thread_time())
        return result

    def _committed(self) -> None:
        assert self._since is not None
        wall, processor = self._since
        self.wall = max(self.wall, time.perf_counter() - wall)
        self.processor = max(self.processor, time.thread_time() - processor)
        self._since, self._is_watched = None, False


class LockBench(Bench):
    """Changes of one table, each measured alone; a change to undo must be the latest one."""

    def __init__(self, user: User, *, rows: int) -> None:
        super().__init__(user)
        self.rows = rows

    def fresh(self) -> list[int]:
        """Create a table with this many rows; return the ids of those to change."""
        Row.objects.filter(table=self.table).delete()
        self.table = seeded(self.user, rows=self.rows)
        rows = Row.objects.filter(table=self.table, deleted_at=None).order_by("position")
        return list(rows.values_list("pk", flat=True)[:OPERATIONS])

    def locked_by(self, method: str, below: str, body: Json, *, keyed: bool) -> LockWatch:
        watch = LockWatch()
        path = below if below.startswith("/") else f"/api/tables/{self.table.pk}/{below}"
        headers = {"Idempotency-Key": f"key {next(KEYS)}"} if keyed else {}
        with watch.watching():
            answer = getattr(self.client, method)(path, body, content_type="application/json", headers=headers)
        assert answer.status_code in (200, 201), answer.content[:300]
        return watch

    def bare(self) -> LockWatch:
        """Add as many rows to another table, as any Django program would."""
        table, watch = create_table(user=self.user, name="Bare", columns=COLUMNS, origin=Origin("api")), LockWatch()
        rows = bare_rows(table, count=OPERATIONS)
        with watch.watching(), transaction.atomic():
            Table.objects.select_for_update().get(pk=table.pk)
            Row.objects.bulk_create(rows)
        Row.objects.filter(table=table).delete()
        return watch

    def latest(self) -> int:
        return int(Change.objects.filter(table=self.table).latest("version").pk)


Requests = Callable[["LockBench", list[int]], tuple[str, str, Json]]


def rows_of(first: int, number: int) -> list[Json]:
    return [cells(each) for each in range(first, first + number)]


def adds(bench: LockBench, ids: list[int]) -> tuple[str, str, Json]:
    operations = [{"action": "add", "data": row} for row in rows_of(bench.rows, OPERATIONS)]
    return "post", "proposals/data/", {"operations": operations}


def updates(bench: LockBench, ids: list[int]) -> tuple[str, str, Json]:
    operations = [{"action": "update", "row_id": pk, "changes": {"Salary": 1, "Note": f"New {pk}"}} for pk in ids]
    return "post", "proposals/data/", {"operations": operations}


def updates_where(bench: LockBench, ids: list[int]) -> tuple[str, str, Json]:
    """A condition that matches all rows of a small table and 10,000 of 100,000, the maximum of one change."""
    where: Json = {"column": "Salary", "op": "lte", "value": 38_808}
    if bench.rows <= OPERATIONS:
        where = {"column": "Company", "op": "not_empty"}
    update = {"action": "update", "where": where, "changes": {"Salary": 1, "Note": "New"}}
    return "post", "proposals/data/", {"operations": [update]}


def deletes(bench: LockBench, ids: list[int]) -> tuple[str, str, Json]:
    operations = [{"action": "delete", "row_id": pk} for pk in ids]
    return "post", "proposals/data/", {"operations": operations}


def mixed(bench: LockBench, ids: list[int]) -> tuple[str, str, Json]:
    third = min(len(ids) // 2, OPERATIONS // 3)
    operations: list[Json] = [{"action": "add", "data": row} for row in rows_of(bench.rows, OPERATIONS - 2 * third)]
    operations += [{"action": "update", "row_id": pk, "changes": {"Salary": 1}} for pk in ids[:third]]
    operations += [{"action": "delete", "row_id": pk} for pk in ids[third : 2 * third]]
    return "post", "proposals/data/", {"operations": operations}


def upsert(bench: LockBench, ids: list[int]) -> tuple[str, str, Json]:
    """Keyed by two columns: half of the rows exist, or all of a small table."""
    first = max(0, bench.rows - OPERATIONS // 2)
    rows = [{**row, "Salary": 1} for row in rows_of(first, OPERATIONS)]
    return "put", "rows/", {"merge_on": ["Note"], "rows": rows}


def paste(bench: LockBench, ids: list[int]) -> tuple[str, str, Json]:
    """Cells of all columns except the longest; rows missing in a small table are added.

    With the longest column, the change, its undo and its redo would be too large to be undone at once by the restore.
    """
    pasted = [{name: value for name, value in row.items() if name != "Note"} for row in rows_of(7, OPERATIONS)]
    rows: list[Json] = [{"id": pk, "data": row} for pk, row in zip(ids, pasted, strict=False)]
    rows += [{"id": None, "data": row} for row in pasted[len(ids) :]]
    return "patch", "rows/?typecast=true&on_invalid=skip", {"rows": rows}


def delete_rows(bench: LockBench, ids: list[int]) -> tuple[str, str, Json]:
    return "post", "rows/delete/", {"ids": ids}


def stored(bench: LockBench, ids: list[int]) -> tuple[str, str, Json]:
    """A proposal of the assistant."""
    _, _, proposal = mixed(bench, ids)
    return "post", f"/api/chat/payloads/{bench.proposed(proposal['operations'])}/apply/", {"operations": "all"}


def stored_columns(bench: LockBench, ids: list[int]) -> tuple[str, str, Json]:
    """A proposal of the assistant that converts the values of a column in all rows."""
    modify = {"action": "modify", "column_id": "Salary", "changes": {"type": "text"}}
    return "post", f"/api/chat/payloads/{bench.columns_proposed([modify])}/apply/", {"operations": "all"}


def column_type(bench: LockBench, ids: list[int]) -> tuple[str, str, Json]:
    """A change of a column that converts its values in all rows."""
    return "patch", "columns/Salary/", {"type": "text"}


# Their undo is measured as well, but it is too large to be undone at once by the restore.
COLUMN_CHANGES = {stored_columns, column_type}
CHANGES: dict[str, Requests] = {
    "adds": adds,
    "updates by id": updates,
    "updates by a condition": updates_where,
    "deletes": deletes,
    "mixed": mixed,
    "mixed, a stored proposal": stored,
    "a column's type, a stored proposal": stored_columns,
    "a column's type": column_type,
    "PUT of keyed rows": upsert,
    "PATCH, as a paste": paste,
    "rows/delete/": delete_rows,
}


def measured(bench: LockBench, request: Requests, *, keyed: bool) -> dict[str, LockWatch]:
    """Measure a change, its undo and redo, a restore to the time before, and, as BARE, the bare transaction."""
    ids = bench.fresh()
    before = bench.latest()
    method, below, body = request(bench, ids)
    found = {BARE: bench.bare(), "": bench.locked_by(method, below, body, keyed=keyed)}
    change = bench.latest()
    for step in ("undo", "redo"):
        found[f", {step}"] = bench.locked_by("post", f"changes/{change}/{step}/", {}, keyed=keyed)
    if request in COLUMN_CHANGES:
        return found
    found[", restore"] = bench.locked_by("post", f"changes/{before}/restore/", {}, keyed=keyed)
    return found


def imported(bench: LockBench) -> dict[str, LockWatch]:
    """Measure the undo and redo of an import of this many rows; above 200,000 cells they are done in batches."""
    table, found = bench.another(), {BARE: bench.bare()}
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(cells(0))
    writer.writerows(cells(number).values() for number in range(bench.rows))
    chunks = iter([text.getvalue().encode()])
    upload = receive_file(user=bench.user, name="bench.csv", chunks=chunks, table_id=table.pk)
    begun = begin_import(user=bench.user, import_id=upload.pk)
    assert run_import(import_id=begun.pk, run=begun.run) == "done"
    change = bench.latest()
    for step in ("undo", "redo"):
        found[f", {step}"] = bench.locked_by("post", f"changes/{change}/{step}/", {}, keyed=False)
    return found


def report(name: str, watches: list[LockWatch], *, bare: list[LockWatch]) -> None:
    wall, processor = (median(getattr(each, attribute) for each in watches) for attribute in ("wall", "processor"))
    ratio = median(each.wall / beside.wall for each, beside in zip(watches, bare, strict=True))
    is_over = name != BARE and (processor if connection.vendor == "sqlite" else wall) > TARGET
    times = f"{wall * 1e3:7.0f} ms, of the processor {processor * 1e3:6.0f} ms"
    print(f"{name:44} {times}, {ratio:5.2f} × bare{'  OVER' if is_over else ''}", flush=True)


def main() -> None:
    """Measure each change on tables of each size, alternating with and without a key."""
    sizes = [int(each) for each in sys.argv[1:] if each.isdigit()] or SIZES
    only = next((each.removeprefix("--only=") for each in sys.argv[1:] if each.startswith("--only=")), "")
    user = prepare()
    for rows in sizes:
        print(f"a table of {rows:,} rows, target ≤ {TARGET * 1e3:,.0f} ms; load {os.getloadavg()[0]:.1f}")
        bench = LockBench(user, rows=rows)
        for name, request in CHANGES.items():
            if only not in name:
                continue
            for keyed in (False, True):
                runs = [measured(bench, request, keyed=keyed) for _ in range(TIMES)]
                for step in runs[0]:
                    title = BARE if step == BARE else f"{name}{step}{', with a key' if keyed else ''}"
                    report(title, [run[step] for run in runs], bare=[run[BARE] for run in runs])
        if only in IMPORT:
            run = imported(bench)
            for step in run:
                report(BARE if step == BARE else f"{IMPORT}{step}", [run[step]], bare=[run[BARE]])


if __name__ == "__main__":
    main()
