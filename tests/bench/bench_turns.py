"""Prints what 200 turns at the same time cost beside a bare view; `python -m tests.bench.bench_turns`.

Each turn gets 20 deltas a second. Our server and the bare one answer the same clients, by turns; what is compared is
the CPU time of the server's process: while all turns speak, and with their starts and ends. TEST_DATABASE=postgres for
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
from tests.bench.streaming import Heard, cpu_of, headers_of, hear, process, server

PEOPLE = 5
PACE = 20
BODY = {"message": "Hello", "context": {"current_page": "tables_list"}}


@dataclass
class Cost:
    """Seconds of CPU: of everything, and for each delta while all streams were speaking, if they ever all were."""

    whole: float
    each: float | None
    heard: list[Heard]
    connections: int


async def all_at_once(address: str, *, headers: list[str], turns: int) -> list[Heard]:
    """So many streams, read to their ends."""
    return await asyncio.gather(*[hear(address, headers[n % PEOPLE], BODY) for n in range(turns)])


async def watched(address: str, *, headers: list[str], turns: int, pid: int, deltas: int) -> Cost:
    """The same, watched."""
    heard = [Heard() for _ in range(turns)]
    began = cpu_of(pid)
    streams = asyncio.gather(*[hear(address, headers[n % PEOPLE], BODY, heard=one) for n, one in enumerate(heard)])
    most, speaking = 0, list[tuple[float, int]]()
    while not streams.done():
        await asyncio.sleep(0.2)
        most = max(most, await asyncio.to_thread(connections))
        if all(one.deltas for one in heard) and all(one.deltas < deltas for one in heard):
            speaking.append((cpu_of(pid), sum(one.deltas for one in heard)))
    await streams
    return Cost(whole=cpu_of(pid) - began, each=_each(speaking), heard=heard, connections=most)


def _each(speaking: list[tuple[float, int]]) -> float | None:
    """Seconds of CPU a delta between the first and the last look at all streams speaking."""
    if len(speaking) < 2:
        return None
    (from_cpu, from_count), (to_cpu, to_count) = speaking[0], speaking[-1]
    return (to_cpu - from_cpu) / max(1, to_count - from_count)


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


def measured(provider: str, *, bare: bool, headers: list[str], turns: int, deltas: int) -> Cost:
    """What all the turns cost; everything else is said."""
    with server(provider, bare=bare) as (address, pid):
        asyncio.run(all_at_once(address, headers=headers, turns=PEOPLE))
        cost = asyncio.run(watched(address, headers=headers, turns=turns, pid=pid, deltas=deltas))
    lost = sum(deltas - one.deltas for one in cost.heard)
    broken = sum(not one.is_whole for one in cost.heard)
    print(
        f"{'bare view' if bare else 'turns':10} {_told(cost.each)}, {cost.whole:5.1f} s in all;"
        f" {lost} deltas lost, {broken} streams not whole; at most {cost.connections} connections (target ≤ 20)",
        flush=True,
    )
    return cost


def main() -> None:
    """Both, three times by turns."""
    turns, seconds, times = (40, 10, 1) if "--short" in sys.argv else (200, 30, 3)
    deltas = seconds * PACE
    prepare()
    people = [User.objects.create_user(f"person{number}") for number in range(PEOPLE)]
    headers = [headers_of(person) for person in people]
    print(f"{turns} turns × {PACE} deltas a second × {seconds} s")
    both: list[tuple[Cost, Cost]] = []
    with process("-m", "tests.bench.provider", str(deltas), str(PACE)) as (provider, _):
        for _ in range(times):
            bare = measured(provider, bare=True, headers=headers, turns=turns, deltas=deltas)
            both.append((measured(provider, bare=False, headers=headers, turns=turns, deltas=deltas), bare))
    whole = median(ours.whole / bare.whole for ours, bare in both)
    known = [(ours.whole, ours.each, bare.each) for ours, bare in both if ours.each is not None and bare.each]
    if not known:
        print(f"CPU of ours to the bare view's: {whole:.2f} × in all; never did all speak at once")
        return
    speaking = median(each / bare_each for _, each, bare_each in known)
    start = median((ours_whole - each * turns * deltas) / turns for ours_whole, each, _ in known)
    print(f"CPU of ours to the bare view's: {speaking:.2f} × while all speak (target ≤ 1.5), {whole:.2f} × in all")
    print(f"a turn's start and end: {start * 1e3:.0f} ms of CPU")


def _told(each: float | None) -> str:
    return "never all spoke at once" if each is None else f"{each * 1e6:4.0f} µs of CPU a delta"


if __name__ == "__main__":
    main()
