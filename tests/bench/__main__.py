"""Says which benchmark prints which figure; `python -m tests.bench all` runs them one after the other, for some hours.

`python -m tests.bench bench_apply bench_export` runs these. Each prints its figures beside a baseline of the same run;
a machine that does nothing else is needed for times, not for statements, rows looked at and memory.
"""
from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

BOTH = ("sqlite", "postgres")


@dataclass(frozen=True)
class Figure:
    """What is measured, what it should be, and by what; once for each database."""

    what: str
    target: str
    command: str
    databases: tuple[str, ...] = BOTH


FIGURES = (
    Figure("10,000 adds, updates, deletes applied", "≤ 3 × bare bulk statements", "bench_apply"),
    Figure("time for which bulk changes hold the lock", "≤ 1,000 ms for 10,000 operations", "bench_locks"),
    Figure("wait of others during proposals by conditions", "≤ 1,000 ms", "bench_conditions"),
    Figure("first 100 of 100,000 rows", "≤ 40 ms, SQLite 250; plain 15; ≤ 2 × by hand", "bench_first_page"),
    Figure("1,000,000 rows: pages, edits, applies, undo", "nothing unasked grows; ≤ 2 × by hand", "bench_big_table"),
    Figure("import of 100,000 × 10 cells, its memory", "≥ 1/4 of COPY or executemany; flat", "bench_import"),
    Figure("memory of an import and its undo", "flat", "bench_import 10000 1000000", ("postgres",)),
    Figure("export of 100,000 rows, its memory", "first byte ≤ 2 s; flat", "bench_export"),
    Figure("memory of an export of 1,000,000 rows", "flat", "bench_export 10000 1000000", ("postgres",)),
    Figure("response reader, 1 MB", "≤ 3 µs a delta; 10 × the text ≤ 12 × the time", "bench_reader", ("sqlite",)),
    Figure("our share of the first token", "≤ 15 ms over a bare view", "bench_first_token"),
    Figure("200 turns × 20 tokens a second", "≤ 1.5 × the CPU of a bare view", "bench_turns", ("postgres",)),
    Figure("150 streams, reads, applies, two processes", "p95 < 200 ms, ≤ 20 connections", "bench_load", ("postgres",)),
    Figure("200 kB of Markdown drawn", "≤ 300 ms, no task > 50 ms", "bench_markdown", ("sqlite",)),
    Figure("a table's page in a browser", "rows < 1 s; ≤ 70 and 12 requests; ≤ 350 kB", "bench_scrolling", ("sqlite",)),
)


def main() -> int:
    """The list, or the benchmarks asked for; how many of them failed."""
    asked = sys.argv[1:]
    chosen = [each for each in FIGURES if asked == ["all"] or each.command.split()[0] in asked]
    if not chosen:
        for each in FIGURES:
            where = "" if each.databases == BOTH else f" (TEST_DATABASE={each.databases[0]})"
            print(f"{each.what:48} {each.target:50} python -m tests.bench.{each.command}{where}")
        print("how long all tests take: python3 manage.py test says so itself, a line for each part")
        return 0
    failed = 0
    for each in chosen:
        module, *arguments = each.command.split()
        for database in each.databases:
            print(f"--- {each.what} ({each.target}), {database}", flush=True)
            environment = {**os.environ, "TEST_DATABASE": database}
            command = [sys.executable, "-m", f"tests.bench.{module}", *arguments]
            done = subprocess.run(command, env=environment, check=False)
            failed += done.returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
