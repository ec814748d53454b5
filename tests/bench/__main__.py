"""List the benchmarks and their figures; `python -m tests.bench all` runs them one after the other, for some hours.

`python -m tests.bench bench_apply bench_export` runs these. Each prints its figures and a baseline of the same run.
Times need an otherwise idle machine; statements, rows read and memory do not.
"""
from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

BOTH = ("sqlite", "postgres")


@dataclass(frozen=True)
class Figure:
    """A measurement, its target, and the benchmark; one per database."""

    what: str
    target: str
    command: str
    databases: tuple[str, ...] = BOTH


FIGURES = (
    Figure("10,000 adds, updates, deletes applied", "≤ 3 × bare bulk statements", "bench_apply"),
    Figure("time for which bulk changes hold the lock", "≤ 1,000 ms for 10,000 operations", "bench_locks"),
    Figure("wait of writers while indexes are made", "≤ 300 ms for 100,000 rows", "bench_index_waits"),
    Figure("wait of others during proposals by conditions", "≤ 1,000 ms", "bench_conditions"),
    Figure("first 100 of 100,000 rows", "≤ 40 ms, SQLite 250; plain 15; ≤ 2 × by hand", "bench_first_page"),
    Figure("first 100 of 100,000 rows by options of lists", "has_any ≤ 20 ms with an index", "bench_lists"),
    Figure("100,000 rows of many kinds of columns", "≤ 1.15 × as many texts and numbers", "bench_kinds"),
    Figure("first 100 of 100,000 rows over HTTP", "≤ 1.3 × Datasette (see its --datasette)", "bench_datasette"),
    Figure("writes of 1,000 and 10,000 rows over HTTP", "≤ 2.2 and 3 × Datasette (--datasette)", "bench_writing",
           ("sqlite",)),
    Figure("1,000,000 rows: pages, edits, applies, undo", "nothing unasked grows; ≤ 2 × by hand", "bench_big_table"),
    Figure("a table among 10,000, 10,000,000 rows, indexed", "≤ 1.3 × alone", "bench_many_tables", ("postgres",)),
    Figure("import of 100,000 × 10 cells, its memory", "≤ 3 × COPY or executemany; flat", "bench_import"),
    Figure("memory of an import and its undo", "flat", "bench_import 10000 1000000", ("postgres",)),
    Figure("export of 100,000 rows, its memory", "first byte ≤ 2 s; flat", "bench_export"),
    Figure("memory of an export of 1,000,000 rows", "flat", "bench_export 10000 1000000", ("postgres",)),
    Figure("response reader, 1 MB", "≤ 3 µs a delta; 10 × the text ≤ 12 × the time", "bench_reader", ("sqlite",)),
    Figure("our share of the first token", "≤ 15 ms over a bare view", "bench_first_token"),
    Figure("200 turns × 20 tokens a second", "≤ 1.5 × the CPU of a bare view", "bench_turns", ("postgres",)),
    Figure("150 streams, reads, applies, two processes", "p95 < 200 ms, ≤ 20 connections", "bench_load", ("postgres",)),
    Figure("a fill of 1,000 rows, provider of 200 ms", "≤ 1.25 × latency; ≤ 10 ms of CPU a row", "bench_fills"),
    Figure("requests during a fill of 10,000 rows", "≤ 1.2 × without it", "bench_fill_beside"),
    Figure("memory of fills of 1,000 and 10,000 rows", "flat", "bench_fills 1000 10000", ("sqlite",)),
    Figure("200 kB of Markdown drawn", "≤ 300 ms, no task > 50 ms", "bench_markdown", ("sqlite",)),
    Figure("a table's page in a browser", "rows < 1 s; ≤ 70 and 12 requests; ≤ 350 kB", "bench_scrolling", ("sqlite",)),
    Figure("100 thumbnails on the screen of a table", "no layout shift; ≤ 100 ms of scripts", "bench_thumbnails",
           ("sqlite",)),
)


def main() -> int:
    """Print the list, or run the requested benchmarks and return how many failed."""
    requested = sys.argv[1:]
    chosen = [figure for figure in FIGURES if requested == ["all"] or figure.command.split()[0] in requested]
    if not chosen:
        for figure in FIGURES:
            where = "" if figure.databases == BOTH else f" (TEST_DATABASE={figure.databases[0]})"
            print(f"{figure.what:48} {figure.target:50} python -m tests.bench.{figure.command}{where}")
        print("how long all tests take: python3 manage.py test says so itself, a line for each part")
        return 0
    failed = 0
    for figure in chosen:
        module, *arguments = figure.command.split()
        for database in figure.databases:
            print(f"--- {figure.what} ({figure.target}), {database}", flush=True)
            environment = {**os.environ, "TEST_DATABASE": database}
            command = [sys.executable, "-m", f"tests.bench.{module}", *arguments]
            done = subprocess.run(command, env=environment, check=False)
            failed += done.returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
