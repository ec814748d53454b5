"""Measure 200 concurrent turns against a bare view; `python -m tests.bench.bench_turns`.

Each turn gets 20 deltas a second. Both servers answer the same clients, alternately; compared is the CPU time of the
server's process: while all turns stream, and including their starts and ends. TEST_DATABASE=postgres for
PostgreSQL; `--short`: 40 turns of 10 s, once.
"""
from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
import asyncio
import sys
from dataclasses import dataclass
from statistics import median

from django.contrib.auth.models import User
from django.db import connection

from tests.bench.databases import prepare
from tests.bench.streaming import StreamResult, cpu_of, headers_of, process, read_stream, server

USERS = 5
PACE = 20
BODY = {"message": "Hello", "context": {"current_page": "tables_list"}}


@dataclass
class Cost:
    """CPU seconds: in total, and per delta while all streams were active, if they ever all were."""

    whole: float
    each: float | None
    results: list[StreamResult]
    connections: int


async def read_streams(address: str, *, headers: list[str], turns: int) -> list[StreamResult]:
    """Read this many streams to their ends."""
    return await asyncio.gather(*[read_stream(address, headers[n % USERS], BODY) for n in range(turns)])


async def measure_streams(address: str, *, headers: list[str], turns: int, pid: int, deltas: int) -> Cost:
    """Read the streams and measure the CPU time."""
    results = [StreamResult() for _ in range(turns)]
    began = cpu_of(pid)
    streams = asyncio.gather(
        *[read_stream(address, headers[n % USERS], BODY, result=one) for n, one in enumerate(results)]
    )
    most, speaking = 0, list[tuple[float, int]]()
    while not streams.done():
        await asyncio.sleep(0.2)
        most = max(most, await asyncio.to_thread(connections))
        if all(one.deltas for one in results) and all(one.deltas < deltas for one in results):
            speaking.append((cpu_of(pid), sum(one.deltas for one in results)))
    await streams
    return Cost(whole=cpu_of(pid) - began, each=_each(speaking), results=results, connections=most)


def _each(speaking: list[tuple[float, int]]) -> float | None:
    """Return CPU seconds per delta between the first and the last time that all streams were active."""
    if len(speaking) < 2:
        return None
    (from_cpu, from_count), (to_cpu, to_count) = speaking[0], speaking[-1]
    return (to_cpu - from_cpu) / max(1, to_count - from_count)


def connections() -> int:
    """Return the number of connections to this database, except our own."""
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        count = int(cursor.fetchone()[0])
    connection.close()
    return count


def measured(provider: str, *, bare: bool, headers: list[str], turns: int, deltas: int) -> Cost:
    """Return the cost of all turns, and print everything else."""
    with server(provider, bare=bare) as (address, pid):
        asyncio.run(read_streams(address, headers=headers, turns=USERS))
        cost = asyncio.run(measure_streams(address, headers=headers, turns=turns, pid=pid, deltas=deltas))
    lost = sum(deltas - one.deltas for one in cost.results)
    broken = sum(not one.is_whole for one in cost.results)
    print(
        f"{'bare view' if bare else 'turns':10} {_format(cost.each)}, {cost.whole:5.1f} s in all;"
        f" {lost} deltas lost, {broken} streams not whole; at most {cost.connections} connections (target ≤ 20)",
        flush=True,
    )
    return cost


def main() -> None:
    """Measure both three times, alternating."""
    turns, seconds, times = (40, 10, 1) if "--short" in sys.argv else (200, 30, 3)
    deltas = seconds * PACE
    prepare()
    users = [User.objects.create_user(f"person{number}") for number in range(USERS)]
    headers = [headers_of(user) for user in users]
    print(f"{turns} turns × {PACE} deltas a second × {seconds} s")
    both: list[tuple[Cost, Cost]] = []
    with process("-m", "tests.bench.provider", str(deltas), str(PACE)) as (provider, _):
        for _ in range(times):
            bare = measured(provider, bare=True, headers=headers, turns=turns, deltas=deltas)
            both.append((measured(provider, bare=False, headers=headers, turns=turns, deltas=deltas), bare))
    whole = median(ours.whole / bare.whole for ours, bare in both)
    complete = [(ours.whole, ours.each, bare.each) for ours, bare in both if ours.each is not None and bare.each]
    if not complete:
        print(f"CPU of ours to the bare view's: {whole:.2f} × in all; never did all speak at once")
        return
    speaking = median(each / bare_each for _, each, bare_each in complete)
    start = median((ours_whole - each * turns * deltas) / turns for ours_whole, each, _ in complete)
    print(f"CPU of ours to the bare view's: {speaking:.2f} × while all speak (target ≤ 1.5), {whole:.2f} × in all")
    print(f"a turn's start and end: {start * 1e3:.0f} ms of CPU")


def _format(each: float | None) -> str:
    return "never all spoke at once" if each is None else f"{each * 1e6:4.0f} µs of CPU a delta"


if __name__ == "__main__":
    main()
