"""Measure the work on a fill of 1,000 rows with a provider of 200 ms; `python -m tests.bench.bench_fills [ROWS …]`.

First, 10,000 results are applied and undone, alternating with a proposal of the same updates; the lowest times count.
With several numbers of rows, the memory of fills of these sizes is compared, with a provider of 1 ms. A third of the
calls of a further run of 100 rows is refused.
TEST_DATABASE=postgres for PostgreSQL.
"""
from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
import gc
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import OuterRef, Subquery
from django.utils import timezone

from chat.agent.clock import SystemClock
from fills import services
from fills.hashes import value_hashes
from fills.selectors import Fill, counts_of
from fills.worker import work
from tables.models import Row
from tables.operations import Choice, Origin
from tables.services import apply_data, compose_data, prepare_data, undo_change
from tests.bench.databases import prepare, seeded
from tests.bench.streaming import process

LATENCY_MS, CONCURRENCY, TIMES = 200, 8, 5
COLUMNS: list[dict[str, Any]] = [
    {"name": "Name", "type": "text"}, {"name": "E-mail", "type": "text"}, {"name": "Domain", "type": "text"},
]  # fmt: skip


def person(number: int) -> dict[str, Any]:
    """Return the cells of a row."""
    return {"Name": f"Person {number}", "E-mail": f"p{number}@firm{number}.example"}


def running_fill(user: User, *, rows: int) -> Fill:
    """Start a fill of a new table with this many rows."""
    table = seeded(user, rows=rows, name=f"People {rows}", definitions=COLUMNS, row=person)
    body = {"columns": ["Domain"], "instruction": "Take the domain out of {E-mail}.", "budget": 900_000_000}
    fill = services.create_fill(user=user, table_id=table.pk, body=body)
    return services.run_fill(user=user, table_id=table.pk, fill_id=fill.pk)


def answer_rows(fill: Fill) -> tuple[float, float]:
    """Answer all rows in pieces, as tasks do. Return seconds and seconds of CPU."""
    limit: int | None = None
    began, began_cpu = time.perf_counter(), time.process_time()
    while True:
        worked = async_to_sync(work)(fill.pk, seconds=20, clock=SystemClock(), now=timezone.now, limit=limit)
        if worked.continue_at is None:
            break
        limit = worked.limit
        time.sleep(max(0.0, (worked.continue_at - timezone.now()).total_seconds()))
    return time.perf_counter() - began, time.process_time() - began_cpu


def measure(user: User, *, rows: int) -> None:
    """Print the time and CPU of a fill."""
    fill = running_fill(user, rows=rows)
    seconds, cpu = answer_rows(fill)
    least = rows * LATENCY_MS / 1_000 / CONCURRENCY
    counts = counts_of([fill.pk])[fill.pk]
    print(
        f"{rows} rows: {seconds:.1f} s = {seconds / least:.2f} × rows × latency / concurrency (target ≤ 1.25); "
        f"{cpu / rows * 1e3:.1f} ms of CPU a row (target ≤ 10); {counts['found']} found",
        flush=True,
    )


def measure_memory(user: User, *, rows: int) -> None:
    """Print the most memory that a fill has allocated, the rows of its table not included."""
    fill = running_fill(user, rows=rows)
    tracemalloc.start()
    answer_rows(fill)
    print(f"{rows} rows: at most {tracemalloc.get_traced_memory()[1] / 1e6:.1f} MB allocated", flush=True)
    tracemalloc.stop()


def answered(fill: Fill) -> None:
    """Give all rows of a fill results, as if they had been answered."""
    target, versions = fill.columns[0], dict(Row.objects.filter(table_id=fill.table_id).values_list("pk", "version"))
    results = list(fill.results.all())
    for result in results:
        result.state, result.confidence, result.cells = "found", "high", {target: None}
        result.values = {target: f"firm{result.row_id}.example"}
        result.hashes, result.row_version = value_hashes(result.values), versions[result.row_id]
    fields = ["state", "confidence", "cells", "values", "hashes", "row_version"]
    fill.results.bulk_update(results, fields, batch_size=500)


def read_again(fill: Fill) -> None:
    """Give results the current versions of their rows, which an undo has changed."""
    rows = Row.objects.filter(table_id=fill.table_id, pk=OuterRef("row_id"))
    fill.results.update(row_version=Subquery(rows.values("version")), change_id=None)


class Times:
    """The lowest seconds of each kind of work: by the clock, and of this process's CPU."""

    def __init__(self) -> None:
        self.lowest: dict[str, tuple[float, float]] = {}

    def measure(self, name: str, do: Callable[[], Any]) -> Any:
        """Do this work, and return its result."""
        gc.collect()
        began, began_cpu = time.perf_counter(), time.process_time()
        done = do()
        cpu, seconds = time.process_time() - began_cpu, time.perf_counter() - began
        least = self.lowest.get(name, (seconds, cpu))
        self.lowest[name] = min(least[0], seconds), min(least[1], cpu)
        return done

    def compare(self, name: str, *, other: str) -> str:
        """Return the times of both, and their ratios."""
        (seconds, cpu), (of_other, cpu_of_other) = self.lowest[name], self.lowest[other]
        return (
            f"{seconds:.2f} s, as many updates {of_other:.2f} s: {seconds / of_other:.2f} × (target ≤ 1.2); "
            f"CPU {cpu:.2f} s, {cpu_of_other:.2f} s: {cpu / cpu_of_other:.2f} ×"
        )


def measure_apply(user: User, *, rows: int) -> None:
    """Print the time of applying and undoing results against that of a proposal with the same updates by hand."""
    fill = running_fill(user, rows=rows)
    answered(fill)
    table_id, ids = fill.table_id, list(fill.results.values_list("row_id", flat=True))
    operations = [
        {
            "action": "update", "row_id": row_id, "changes": {"Domain": f"firm{row_id}.example"},
            "expected": {"Domain": None},
        }
        for row_id in ids
    ]  # fmt: skip
    times = Times()

    def undo(change: int | None) -> Any:
        return undo_change(user=user, table_id=table_id, change_id=change)

    def update() -> Any:
        prepared = prepare_data(user=user, table_id=table_id, proposal={"operations": operations})
        choice = Choice()
        composed = compose_data(user=user, prepared=prepared, choice=choice)
        return apply_data(user=user, prepared=prepared, choice=choice, origin=Origin("api"), composed=composed)

    review: dict[str, Any] = {"user": user, "table_id": table_id, "fill_id": fill.pk, "review": services.Review()}
    for _ in range(TIMES):
        read_again(fill)
        applied = times.measure("applied", partial(services.apply_results, **review))
        times.measure("undone", partial(undo, applied.change))
        updated = times.measure("updated", update)
        times.measure("updates undone", partial(undo, updated.change))
    print(f"{rows} results applied: {times.compare('applied', other='updated')}", flush=True)
    print(f"{rows} results undone: {times.compare('undone', other='updates undone')}", flush=True)


def main() -> None:
    """Measure all."""
    sizes = [int(each) for each in sys.argv[1:]] or [1_000]
    user = prepare()
    settings.ANTHROPIC_API_KEY, settings.FILL_CONCURRENCY = "bench", CONCURRENCY
    settings.CHAT_TOKENS_A_DAY = 900_000_000
    # The first fill of a worker process imports the SDK, which takes a second.
    import_module("chat.agent.client.anthropic_model")
    measure_apply(user, rows=10_000)
    with process("-m", "tests.bench.fill_provider", str(LATENCY_MS), "0") as (settings.ANTHROPIC_BASE_URL, _):
        measure(user, rows=100)
        measure(user, rows=sizes[0])
    with process("-m", "tests.bench.fill_provider", "1", "0") as (settings.ANTHROPIC_BASE_URL, _):
        for rows in sizes if len(sizes) > 1 else ():
            measure_memory(user, rows=rows)
    with process("-m", "tests.bench.fill_provider", str(LATENCY_MS), "3") as (settings.ANTHROPIC_BASE_URL, _):
        fill = running_fill(user, rows=100)
        seconds, _ = answer_rows(fill)
        counts = counts_of([fill.pk])[fill.pk]
        print(f"a third of the calls refused for 1 s: {counts['found']} of 100 found in {seconds:.0f} s")


if __name__ == "__main__":
    main()
