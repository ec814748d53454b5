"""Measure how long writers wait while indexes are made; `python -m tests.bench.bench_index_waits [rows]`.

A process edits one cell of a table of 100,000 rows again and again, through the service, while this one creates the
indexes on its cells and of its texts as a worker does. The longest edit of that time is printed beside those before it,
which show what else the machine does. On SQLite the longest transaction of this process, which edits wait for, is
printed too; with other load on the machine, use its CPU time, or run it as root with `chrt --fifo 10`, so that nothing
else delays it. On PostgreSQL nothing waits for these statements.
"""
from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from tables.operations import Origin
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.sorts import parse_sort
from tables.selectors import table_shape
from tables.services import record_column_use, update_cell_indexes, update_rows
from tests.bench.bench_locks import LockWatch
from tests.bench.databases import prepare, seeded
from tests.bench.streaming import ROOT
from tests.tables.concurrency.processes import database_url

ROWS, TARGET_MS = 100_000, 300
SECONDS_BEFORE, SECONDS_AFTER = 5.0, 1.0
# Edits that only start the process.
FIRST = 20
# Pause between two edits, as of a person or a program that waits for its answers.
PAUSE_SECONDS = 0.01


def write(table_id: int, row_id: int) -> None:
    """Edit a cell until the standard input ends.

    Prints a line after the first edits, and in the end the start and the milliseconds of each later one as JSON.
    """
    user, edits, number = User.objects.get(username="bench"), [], 0
    os.set_blocking(sys.stdin.fileno(), False)
    while sys.stdin.buffer.read(1) is None:
        number += 1
        began = time.monotonic()
        edit = {"id": row_id, "data": {"Salary": number}}
        update_rows(user=user, table_id=table_id, rows=[edit], origin=Origin("api"))
        edits.append((began, (time.monotonic() - began) * 1_000))
        if number == FIRST:
            edits.clear()
            print("ready", flush=True)
        time.sleep(PAUSE_SECONDS)
    print(json.dumps(edits))


@contextmanager
def writer(table_id: int, row_id: int) -> Iterator[list[tuple[float, float]]]:
    """Run `write` in another process; the list has its edits after the block."""
    edits: list[tuple[float, float]] = []
    command = [sys.executable, "-m", "tests.bench.bench_index_waits", "--write", str(table_id), str(row_id)]
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "TEST_DATABASE_URL": database_url()}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as started:  # fmt: skip
        assert started.stdin is not None
        assert started.stdout is not None
        started.stdout.readline()
        try:
            yield edits
        finally:
            started.stdin.close()
            edits += json.loads(started.stdout.read())


def main() -> int:
    """Print the longest edits; return 1 if one waited longer than the target."""
    if "--write" in sys.argv:
        write(int(sys.argv[2]), int(sys.argv[3]))
        return 0
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    table = seeded(prepare(), rows=rows)
    shape = table_shape(table)
    late = {"column": "Due", "op": "gt", "value": "2020-01-01"}
    both = {"and": [late, {"column": "Remote", "op": "is", "value": True}]}
    wanted = parse_filter(both, shape=shape, today=timezone.now().date())
    for sort in ("Company", "-Salary", "Status"):
        record_column_use(table, sort=parse_sort(sort, shape=shape), filter=wanted, search="called")
    first = table.rows.order_by("pk").values_list("pk", flat=True)[0]
    watch = LockWatch()
    with writer(table.pk, first) as edits:
        time.sleep(SECONDS_BEFORE)
        began = time.monotonic()
        with watch.watching():
            created = update_cell_indexes().created
        ended = time.monotonic()
        time.sleep(SECONDS_AFTER)
    before = [took for at, took in edits if at + took / 1_000 < began]
    during = [took for at, took in edits if began - took / 1_000 < at < ended]
    print(f"{len(created)} indexes of {rows:,} rows created in {ended - began:.1f} s, {len(during)} edits meanwhile")
    print(
        f"longest edit {max(during):.0f} ms (target ≤ {TARGET_MS}), {sorted(during)[-2]:.0f} ms the next;"
        f" before {max(before):.0f} ms, in the middle {sorted(before)[len(before) // 2]:.1f} ms"
    )
    if connection.vendor == "sqlite":
        print(f"longest transaction {watch.wall * 1e3:.0f} ms, of the processor {watch.processor * 1e3:.0f} ms")
    return int(max(during) > TARGET_MS)


if __name__ == "__main__":
    sys.exit(main())
