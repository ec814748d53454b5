"""Prints how long bulk changes hold the write lock; `python -m tests.bench.bench_locks [rows …] [--only=words]`.

Each change is sent through the API, with and without an `Idempotency-Key`, whose transaction is around the whole view.
On SQLite the lock is that of all writers, from `BEGIN IMMEDIATE` to the commit; on PostgreSQL it is that of the table,
from its `SELECT … FOR UPDATE`. The time of the processor is what counts where other programs run: it is that of this
process, to which SQLite belongs, and PostgreSQL does not.
"""

from __future__ import annotations

import tests.bench.settings_first  # noqa: F401  imported for what it does

# isort: split
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

from tables.models import Change, Row
from tests.bench.bench_apply import Bench
from tests.bench.databases import cells, prepare, seeded

SIZES = (1_000, 100_000)
OPERATIONS = 10_000
TIMES = 3
TARGET = 1.0
LOCKED = "BEGIN IMMEDIATE" if connection.vendor == "sqlite" else "FOR UPDATE"
KEYS = count()
Json = dict[str, Any]


@dataclass
class LockWatch:
    """Measures transactions from the moment they have the lock to the end of their commit: the longest of them."""

    wall: float = 0.0
    processor: float = 0.0
    _since: tuple[float, float] | None = field(default=None, init=False)
    _is_watched: bool = field(default=False, init=False)

    @contextmanager
    def watching(self) -> Iterator[None]:
        with connection.execute_wrapper(self._execute):
            yield

    def _execute(self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        # At `BEGIN`, Django does not yet take functions that are to run after the commit.
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
    """Changes of one table, each measured alone; those that are to be undone are the last ones then."""

    def __init__(self, user: User, *, rows: int) -> None:
        super().__init__(user)
        self.rows = rows

    def fresh(self) -> list[int]:
        """A new table of that many rows; the ids of those that are changed."""
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
    """Conditions that match all rows of a small table and 10,000 of a large one."""
    where = {"column": "Due", "op": "lt", "value": "2012-12-20"} if bench.rows > OPERATIONS else {
        "column": "Company", "op": "not_empty"
    }  # fmt: skip
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
    """Keyed by two columns: half of the rows, or all of a small table, are there."""
    first = max(0, bench.rows - OPERATIONS // 2)
    rows = [{**row, "Salary": 1} for row in rows_of(first, OPERATIONS)]
    return "put", "rows/", {"merge_on": ["Note"], "rows": rows}


def paste(bench: LockBench, ids: list[int]) -> tuple[str, str, Json]:
    """Cells of all columns; rows that a small table does not have are new ones."""
    rows: list[Json] = [{"id": pk, "data": row} for pk, row in zip(ids, rows_of(7, len(ids)), strict=True)]
    rows += [{"id": None, "data": row} for row in rows_of(bench.rows, OPERATIONS - len(ids))]
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


CHANGES: dict[str, Requests] = {
    "adds": adds,
    "updates by id": updates,
    "updates by a condition": updates_where,
    "deletes": deletes,
    "mixed": mixed,
    "mixed, a stored proposal": stored,
    "a column's type, a stored proposal": stored_columns,
    "PUT of keyed rows": upsert,
    "PATCH, as a paste": paste,
    "rows/delete/": delete_rows,
}


def measured(bench: LockBench, request: Requests, *, keyed: bool) -> dict[str, LockWatch]:
    """One change, its undo and redo, and a restore to the time before it; if cells of all rows change, that alone."""
    ids = bench.fresh()
    before = bench.latest()
    method, below, body = request(bench, ids)
    found = {"": bench.locked_by(method, below, body, keyed=keyed)}
    if request is stored_columns:
        return found
    change = bench.latest()
    for step in ("undo", "redo"):
        found[f", {step}"] = bench.locked_by("post", f"changes/{change}/{step}/", {}, keyed=keyed)
    found[", restore"] = bench.locked_by("post", f"changes/{before}/restore/", {}, keyed=keyed)
    return found


def report(name: str, watches: list[LockWatch]) -> None:
    wall, processor = (median(getattr(each, what) for each in watches) for what in ("wall", "processor"))
    over = "" if (processor if connection.vendor == "sqlite" else wall) <= TARGET else "  OVER"
    print(f"{name:44} {wall * 1e3:7.0f} ms, of the processor {processor * 1e3:6.0f} ms{over}", flush=True)


def main() -> None:
    """Each change on tables of each size, by turns with and without a key."""
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
                    report(f"{name}{step}{', with a key' if keyed else ''}", [run[step] for run in runs])


if __name__ == "__main__":
    main()
