"""Measure importing 100,000 rows of ten columns against bare statements; `python -m tests.bench.bench_import`.

The import: from the stored file to the last committed row, with every value parsed, every row searchable, and a change
for undo. The baseline, alternating with it: the same rows, prepared before the clock starts, in one `executemany`
(SQLite) or one `COPY` (PostgreSQL) into the same table. First, the memory of an import, of its undo, and of an import
that changes every row by a key. `python -m tests.bench.bench_import 10000 1000000`: only that, for files with these
numbers of rows.
"""
from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
import csv
import io
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from tables.column_types.row_digest import RowDigest
from tables.models import Change, Import, Row, Table
from tables.operations import Origin
from tables.selectors import table_shape
from tables.services import (
    begin_import,
    cancel_import,
    change_import,
    create_table,
    receive_file,
    redo_change,
    run_import,
    undo_change,
)
from tests.bench.databases import COLUMNS, Work, cells, compare, copied, prepare

ROWS = 100_000
SIZES = [int(text) for text in sys.argv[1:]]
BATCH_SIZE = 10_000
TIMES = 3
MORE = [{"name": name, "type": kind} for name, kind in (("City", "text"), ("Age", "number"), ("Seen", "date"),
                                                        ("Paid", "boolean"))]  # fmt: skip


def row(number: int) -> dict[str, Any]:
    more = {"City": f"Town {number % 500}", "Age": number % 90, "Seen": f"2024-{number % 12 + 1:02}-05"}
    return {**cells(number), **more, "Paid": number % 2 == 0}


def pieces(count: int) -> Iterator[bytes]:
    """Yield a file of this many rows in pieces."""
    for start in range(0, count, BATCH_SIZE):
        text = io.StringIO()
        writer = csv.writer(text)
        if not start:
            writer.writerow(row(0))
        writer.writerows(row(number).values() for number in range(start, min(start + BATCH_SIZE, count)))
        yield text.getvalue().encode()


def file(count: int) -> bytes:
    return b"".join(pieces(count))


class Bench:
    """Creates tables, and files to import."""

    def __init__(self, user: User) -> None:
        self.user = user

    def table(self) -> Table:
        Import.objects.all().delete()
        Row.objects.all()._raw_delete("default")
        return create_table(user=self.user, name="Bench", columns=[*COLUMNS, *MORE], origin=Origin("api"))

    def uploaded(self, chunks: Iterable[bytes]) -> Import:
        imported = self.upload(chunks, table=self.table())
        return begin_import(user=self.user, import_id=imported.pk)

    def upload(self, chunks: Iterable[bytes], *, table: Table) -> Import:
        return receive_file(user=self.user, name="bench.csv", chunks=iter(chunks), table_id=table.pk)

    def merging(self, count: int) -> Import:
        """Create a file that changes a cell in each row of the existing table."""
        chunks = (piece.replace(b"Town ", b"City ") for piece in pieces(count))
        imported = self.upload(chunks, table=Table.objects.latest("pk"))
        change_import(user=self.user, import_id=imported.pk, raw={"merge_on": ["Note"]})
        return begin_import(user=self.user, import_id=imported.pk)

    def run(self, imported: Import) -> None:
        assert imported.run is not None
        state = run_import(import_id=imported.pk, run=imported.run)
        assert state == "done", Import.objects.get(pk=imported.pk).error
        cancel_import(user=self.user, import_id=imported.pk)

    def undo(self) -> None:
        change = Change.objects.filter(source="import").latest("pk")
        undo_change(user=self.user, table_id=change.table_id, change_id=change.pk)

    def redo(self) -> None:
        change = Change.objects.filter(source="import").latest("pk")
        redo_change(user=self.user, table_id=change.table_id, change_id=change.pk)

    def worked_out(self) -> list[tuple[Any, ...]]:
        """Return the rows as they are written."""
        table = self.table()
        columns = table_shape(table).columns
        ids, digest, now = {column.name: column.id for column in columns}, RowDigest(columns), timezone.now()
        stamp = now if connection.vendor == "postgresql" else connection.ops.adapt_datetimefield_value(now)
        return [
            (table.pk, number, 1, *digest.of({ids[name]: value for name, value in row(number).items()}), stamp, stamp)
            for number in range(ROWS)
        ]


def most_memory(work: Any) -> float:
    """Return by how many MB this process grew at most."""
    status = Path("/proc/self/status")

    def figure(name: str) -> int:
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith(name))

    Path("/proc/self/clear_refs").write_text("5")
    before = figure("VmRSS")
    work()
    return (figure("VmHWM") - before) / 1024


def main() -> None:
    """Measure memory for few and many rows, then speed."""
    bench = Bench(prepare())
    for count in SIZES or (20_000, ROWS):
        imported = bench.uploaded(pieces(count))
        used = time.process_time()
        grown = [most_memory(lambda one=imported: bench.run(one)), most_memory(bench.undo), most_memory(bench.redo)]
        by_key = bench.merging(count)
        grown.append(most_memory(lambda one=by_key: bench.run(one)))
        named = zip(("imported", "undone", "redone", "changed by key"), grown, strict=True)
        figures = ", ".join(f"{name} {megabytes:.1f} MB" for name, megabytes in named)
        print(f"{count:9,} rows, more at most: {figures}; {time.process_time() - used:.0f} s of CPU", flush=True)
    if not SIZES:
        speed(bench)


def speed(bench: Bench) -> None:
    """Measure speed against bare statements."""
    raw = [file(ROWS)]
    ours = Work(bench.run, make=lambda: bench.uploaded(raw))
    own, baseline, ratio = compare(ours, bare=Work(copied, make=bench.worked_out), times=TIMES)
    name = "COPY" if connection.vendor == "postgresql" else "executemany"
    print(f"{ROWS:,} rows: {own:5.1f} s, {name} {baseline:5.1f} s: {ratio:3.1f} × (target ≤ 3 ×)", flush=True)
    upload = Work(lambda table: bench.upload(raw, table=table), make=bench.table)
    print(f"upload of {len(raw[0]) / 2**20:.0f} MB, looked into: {upload.seconds():5.1f} s")


if __name__ == "__main__":
    main()
