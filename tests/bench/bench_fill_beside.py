"""Measure requests about a table while a fill of its 10,000 rows runs; `python -m tests.bench.bench_fill_beside`.

The fill runs in a worker process of its own, and is paused and resumed, so that requests with it and without it
alternate. TEST_DATABASE=postgres for PostgreSQL.
"""
from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from django.conf import settings
from django.test import Client

from fills.selectors import Fill, counts_of
from fills.services import pause_fill, resume_fill
from fills.tasks import start_work
from tables.selectors import read_rows
from tests.bench.bench_fills import CONCURRENCY, LATENCY_MS, running_fill
from tests.bench.databases import prepare
from tests.bench.streaming import process
from tests.tables.concurrency.processes import ProjectProcess

ROWS, ROUNDS, REQUESTS = 10_000, 5, 10


def seconds_of(ask: Callable[[int], Any], *, number: int) -> list[float]:
    """Return the durations of some requests."""
    found = []
    for each in range(REQUESTS):
        began = time.perf_counter()
        status = ask(number * REQUESTS + each).status_code
        found.append(time.perf_counter() - began)
        assert status == 200, status
    return found


def wait_for(fill: Fill, *, state: str, change: int) -> None:
    """Wait until the number of results in a state is 0 (change 0), or has grown by `change`."""
    first = counts_of([fill.pk])[fill.pk][state]
    while True:
        now = counts_of([fill.pk])[fill.pk][state]
        if (now == 0) if not change else (now >= first + change):
            return
        time.sleep(0.1)


def pause(fill: Fill) -> None:
    """Pause the fill, and wait until its calls have ended."""
    pause_fill(user=fill.user, table_id=fill.table_id, fill_id=fill.pk)
    wait_for(fill, state="working", change=0)


def resume(fill: Fill) -> None:
    """Resume the fill, and wait until some rows were answered."""
    resume_fill(user=fill.user, table_id=fill.table_id, fill_id=fill.pk)
    start_work(fill.pk)
    wait_for(fill, state="found", change=2 * CONCURRENCY)


def measure(client: Client, fill: Fill) -> None:
    """Print the times of requests with the fill and without it."""
    ids = [row.id for row in read_rows(fill.table, limit=ROUNDS * REQUESTS * 2)]
    numbers = iter(ids)

    def edit(number: int) -> Any:
        body = {"data": {"Name": f"Edited {number}"}}
        url = f"/api/tables/{fill.table_id}/rows/{next(numbers)}/"
        return client.patch(url, body, content_type="application/json")

    requests: dict[str, Callable[[int], Any]] = {
        "page": lambda _: client.get(f"/tables/{fill.table_id}/"),
        "first rows": lambda _: client.get(f"/api/tables/{fill.table_id}/rows/", {"limit": 100}),
        "edit of a cell": edit,
    }
    for name, ask in requests.items():
        pairs = []
        for number in range(ROUNDS):
            pause(fill)
            without = median(seconds_of(ask, number=number))
            resume(fill)
            pairs.append((median(seconds_of(ask, number=number)), without))
        ratio = median(one / two for one, two in pairs)
        during, alone = median(one for one, _ in pairs), median(two for _, two in pairs)
        print(
            f"{name:15} {during * 1e3:6.1f} ms during a fill, {alone * 1e3:6.1f} ms without: {ratio:.2f} × "
            "(target ≤ 1.2)",
            flush=True,
        )


def main() -> None:
    """Start the fill and measure."""
    user = prepare()
    settings.ANTHROPIC_API_KEY, settings.CHAT_TOKENS_A_DAY = "bench", 900_000_000
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)
    with process("-m", "tests.bench.fill_provider", str(LATENCY_MS), "0") as (address, _):
        settings.ANTHROPIC_BASE_URL = address
        fill = running_fill(user, rows=ROWS)
        start_work(fill.pk)
        worker = ProjectProcess(
            *("worker", "--no-reload", "--no-startup-delay", "--until-stdin-ends"), ANTHROPIC_BASE_URL=address,
            ANTHROPIC_API_KEY="bench", FILL_CONCURRENCY=str(CONCURRENCY), CHAT_TOKENS_A_DAY="100000000",
        )  # fmt: skip
        try:
            wait_for(fill, state="found", change=1)
            measure(client, fill)
        finally:
            worker.kill()
        counts = counts_of([fill.pk])[fill.pk]
        print(f"{counts['found']:,} rows were answered meanwhile; the fill still ran: {counts['waiting'] > 0}")


if __name__ == "__main__":
    main()
