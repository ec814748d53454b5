"""Measure time and memory of exporting a table; `python -m tests.bench.bench_export [ROWS…]`.

Through the API's view, to the first and the last byte. The baseline, alternating with it, is a bare `csv.writer` over a
cursor with the same rows in the same order. Memory is the maximum of this process during an export, minus its start.
"""
from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
import csv
import io
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile

from asgiref.sync import async_to_sync
from django.db import connection, transaction
from django.test import RequestFactory

from tables.api.exporting import export_response
from tables.models import Row, Table
from tables.selectors import table_shape
from tests.bench.databases import COLUMNS, Work, compare, prepare, seeded

SIZES = (10_000, 100_000)
TIMES = 3
MB = 1024 * 1024
VIEWS = {"csv": {}, "csv, sorted": {"sort": "Company"}, "json": {"format": "json"}, "xlsx": {"format": "xlsx"}}


def export(table: Table, query: dict[str, str]) -> tuple[float, int]:
    """Return seconds to the first byte, and the number of bytes."""
    began = time.perf_counter()

    async def read() -> tuple[float, int]:
        answer = await export_response(RequestFactory().get("/", query), find=lambda: table)
        size, first = 0, 0.0
        async for piece in answer:
            first = first or time.perf_counter() - began
            size += len(piece)
        answer.close()
        return first, size

    return async_to_sync(read)()


def bare(table: Table) -> None:
    """Export like a Django program that knows the columns: a server-side cursor and a `csv.writer`."""
    ids = [column.id for column in table_shape(table).columns]
    with TemporaryFile() as file, transaction.atomic(), connection.chunked_cursor() as cursor:
        lines = csv.writer(io.TextIOWrapper(file, newline=""))
        cursor.execute(
            f"SELECT data FROM {Row._meta.db_table} WHERE table_id = %s AND deleted_at IS NULL ORDER BY position, id",
            [table.pk],
        )
        while part := cursor.fetchmany(1_000):
            for (data,) in part:
                found = json.loads(data)
                lines.writerow([found.get(column) for column in ids])


@contextmanager
def most_memory() -> Iterator[list[float]]:
    """Add how many MB more than before were in use at most (Linux)."""
    found: list[float] = []
    Path("/proc/self/clear_refs").write_text("5")
    before = _status("VmRSS")
    yield found
    found.append((_status("VmHWM") - before) / MB)


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(name))) * 1024


def main() -> None:
    user = prepare()
    for rows in [int(text) for text in sys.argv[1:]] or SIZES:
        print(f"{rows:,} rows × {len(COLUMNS)} columns")
        report(seeded(user, rows=rows), rows=rows, times=TIMES if rows <= 100_000 else 1)


def report(table: Table, *, rows: int, times: int) -> None:
    """Measure each format, then one against a bare writer."""
    for name, query in VIEWS.items():
        runs = []
        with most_memory() as memory:
            for _ in range(times):
                began, used = time.perf_counter(), time.process_time()
                runs.append((*export(table, query), time.perf_counter() - began, time.process_time() - used))
        first, size, whole, cpu = (median(run[index] for run in runs) for index in range(4))
        print(
            f"  {name:12} first byte {first:6.2f} s (target at 100,000 rows ≤ 2 s), whole {whole:6.2f} s,"
            f" {cpu:5.2f} s of CPU, {rows / whole:9,.0f} rows/s, {size / MB:6.1f} MB, memory + {memory[0]:4.1f} MB",
            flush=True,
        )
    ours = Work(lambda _: export(table, {}))
    own, baseline, ratio = compare(ours, bare=Work(lambda _: bare(table)), times=times)
    print(f"  csv beside a bare csv.writer: {own:.2f} s, {baseline:.2f} s: {ratio:.1f} ×", flush=True)


if __name__ == "__main__":
    main()
