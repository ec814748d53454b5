"""Prints what 200 turns at the same time cost beside a bare view; `python -m tests.bench.bench_turns`.

Each turn gets 20 deltas a second. Our server and the bare one answer the same clients, by turns; what is compared is
the CPU time of the server's process. TEST_DATABASE=postgres for PostgreSQL; `--short`: 40 turns of 5 s, once.
"""
from __future__ import annotations

import tests.bench.settings_first  # noqa: F401  imported for what it does

# isort: split
import asyncio
import sys
from statistics import median

from django.contrib.auth.models import User
from django.db import connection

from tests.bench.databases import prepare
from tests.bench.streaming import Heard, cpu_of, headers_of, hear, process, server

PEOPLE = 5
PACE = 20
BODY = {"message": "Hello", "context": {"current_page": "tables_list"}}


async def all_at_once(address: str, *, headers: list[str], turns: int) -> list[Heard]:
    """So many streams, read to their ends."""
    return await asyncio.gather(*[hear(address, headers[n % PEOPLE], BODY) for n in range(turns)])


async def watched(address: str, *, headers: list[str], turns: int) -> tuple[list[Heard], int]:
    """The same, and the most connections to the database meanwhile."""
    streams = asyncio.ensure_future(all_at_once(address, headers=headers, turns=turns))
    most = 0
    while not streams.done():
        await asyncio.wait({streams}, timeout=0.5)
        most = max(most, await asyncio.to_thread(connections))
    return await streams, most


def connections() -> int:
    """Connections to this database, but for our own."""
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        count = int(cursor.fetchone()[0])
    connection.close()
    return count


def measured(provider: str, *, bare: bool, headers: list[str], turns: int, deltas: int) -> float:
    """Seconds of CPU for all the turns; everything else is said."""
    with server(provider, bare=bare) as (address, pid):
        asyncio.run(all_at_once(address, headers=headers, turns=PEOPLE))
        before = cpu_of(pid)
        heard, most = asyncio.run(watched(address, headers=headers, turns=turns))
        taken = cpu_of(pid) - before
    lost = sum(deltas - one.deltas for one in heard)
    broken = sum(not one.is_whole for one in heard)
    name = "bare view" if bare else "turns"
    print(
        f"{name:10} {taken:5.1f} s of CPU, {taken / turns / deltas * 1e6:4.0f} µs a delta;"
        f" {lost} deltas lost, {broken} streams not whole; at most {most} connections (target ≤ 20)"
    )
    return taken


def main() -> None:
    """Both, three times by turns."""
    turns, seconds, times = (40, 5, 1) if "--short" in sys.argv else (200, 10, 3)
    deltas = seconds * PACE
    prepare()
    people = [User.objects.create_user(f"person{number}") for number in range(PEOPLE)]
    headers = [headers_of(person) for person in people]
    print(f"{turns} turns × {PACE} deltas a second × {seconds} s")
    ratios = []
    with process("-m", "tests.bench.provider", str(deltas), str(PACE)) as (provider, _):
        for _ in range(times):
            bare = measured(provider, bare=True, headers=headers, turns=turns, deltas=deltas)
            ours = measured(provider, bare=False, headers=headers, turns=turns, deltas=deltas)
            ratios.append(ours / bare)
    print(f"CPU of ours to the bare view's: {median(ratios):.2f} × (target ≤ 1.5)")


if __name__ == "__main__":
    main()
