"""Measure a working day of two server processes; `TEST_DATABASE=postgres python -m tests.bench.bench_load`.

150 open streams, 20 requests and 2 applies a second for three minutes, over both processes; then one is killed, and the
other continues for half a minute. `--short`: a quarter of the load, for 20 and 10 seconds. Fails if anything except a
time is wrong. Permanent servers run with a worker; here there is none.
"""
from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import cycle
from statistics import quantiles

import psycopg
from django.contrib.auth.models import User
from django.db import connection

from tables.models import Change, Table
from tests.bench.databases import prepare, seeded
from tests.bench.load_tools import Answer, memory_of, redis, request
from tests.bench.streaming import StreamResult, cpu_of, headers_of, process, read_stream, server
from tests.tables.concurrency.processes import database_url

SHORT = "--short" in sys.argv
# Open streams, reads and applies a second, deltas of a stream a second: few with other load on the machine.
STREAMS, READS, APPLIES, PACE = (40, 5, 1, 1) if SHORT else (150, 20, 2, 5)
USERS, ROWS = 10, 10_000
OPENING = 15
MAX_CONNECTIONS, MAX_MS, MAX_GROWTH = 20, 200, 1.1
# Of each process; requests beyond that wait for a free one.
CONNECTIONS = "9"
OPERATIONS = 10
# How many kinds of reads each table gets, and the interval in seconds at which this process measures its own delay.
KINDS, DELAY_INTERVAL = 8, 0.01
POSTGRESQL = connection.vendor == "postgresql"


@dataclass
class Results:
    """Results of the run: responses to reads and applies, streams, and figures by the second."""

    reads: list[Answer] = field(default_factory=list)
    applies: list[Answer] = field(default_factory=list)
    streams: list[StreamResult] = field(default_factory=list)
    connections: list[int] = field(default_factory=list)
    memory: dict[int, list[float]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


class Load:
    """Load on two processes by users with tables."""

    def __init__(
        self, tables: list[Table], *, headers: list[str], servers: list[tuple[str, int]], seconds: int
    ) -> None:
        self.tables, self.headers, self.servers, self.seconds = tables, headers, servers, seconds
        self.alive = [address for address, _ in servers]
        self.applied = 0
        self.results = Results()
        self._paths = cycle(self._reads())
        self._operations = self._asked = 0
        # How late this process woke, in ms: measured times are sometimes too long by as much.
        self._late: list[float] = []

    async def run(self, *, then: int) -> None:
        """Run the load; afterwards `then` seconds with one process alone."""
        watching = [asyncio.create_task(look) for look in (self._watch(), self._measure_own_delay())]
        streams = [asyncio.create_task(self._stream(number)) for number in range(STREAMS)]
        await asyncio.sleep(OPENING)
        began = {pid: cpu_of(pid) for _, pid in self.servers}
        self._late = []
        await self._work(seconds=self.seconds)
        self._report("both", cpu={pid: cpu_of(pid) - before for pid, before in began.items()})
        address, pid = self.servers[0]
        self.alive.remove(address)
        os.kill(pid, signal.SIGKILL)
        print(f"killed one of them; the other for {then} s:", flush=True)
        self.results.reads, self.results.applies, self._late = [], [], []
        await self._work(seconds=then)
        self._report("one", cpu={})
        await asyncio.wait(streams, timeout=2 * (OPENING + self.seconds + then))
        for look in watching:
            look.cancel()
        self._report_streams(streams)

    async def _stream(self, number: int) -> None:
        """Run one turn about a table, and read its stream to the end."""
        await asyncio.sleep(number / STREAMS * OPENING)
        address, _ = self.servers[number % 2]
        table = self.tables[number % len(self.tables)]
        body = {"message": "Hello", "context": {"current_page": "table_view", "table_id": table.pk}}
        stream = StreamResult()
        self.results.streams.append(stream)
        try:
            await read_stream(address, self.headers[number % USERS], body, result=stream)
        except (OSError, AssertionError) as error:
            stream.last = stream.last or "cut"
            if address in self.alive:
                self.results.faults.append(f"stream {number}: {error!r}")
        if address in self.alive and not stream.is_whole:
            self.results.faults.append(f"stream {number} ended with {stream.last!r} after {stream.deltas} deltas")

    async def _work(self, *, seconds: int) -> None:
        """Start reads and applies at their pace, without waiting for responses."""
        requests = [
            asyncio.create_task(self._at(seconds=number / READS, do=self._read)) for number in range(seconds * READS)
        ]
        requests += [
            asyncio.create_task(self._at(seconds=number / APPLIES, do=self._apply))
            for number in range(seconds * APPLIES)
        ]
        await asyncio.gather(*requests)

    async def _at(self, *, seconds: float, do: Callable[[], Awaitable[None]]) -> None:
        await asyncio.sleep(seconds)
        await do()

    def _reads(self) -> Iterator[tuple[int, str]]:
        """Yield user and path of reads: pages, windows of rows, one table, its history, all tables."""
        for number, table in enumerate(self.tables):
            base = f"/api/tables/{table.pk}/"
            for path in (
                f"/tables/{table.pk}/", f"{base}rows/?limit=100", f"{base}rows/?limit=100&sort=-Salary", base,
                f"{base}changes/", f"{base}rows/?limit=100&offset=5000", "/api/tables/", f"{base}rows/?search=77",
            ):  # fmt: skip
                yield number % USERS, path

    async def _read(self) -> None:
        user, path = next(self._paths)
        # Alternate by request, not by response: otherwise all requests during a wait would go to one process.
        # After each round of paths the order is swapped, so that each process gets each path.
        self._asked += 1
        address = self.alive[(self._asked + self._asked // KINDS) % len(self.alive)]
        answer = await request(address, self.headers[user], path=path)
        self._record(answer, name=f"GET {path}", of=self.results.reads)

    async def _apply(self) -> None:
        number = self._operations = self._operations + 1
        table = self.tables[number % len(self.tables)]
        operations = [{"action": "add", "data": {"Company": f"{number}"}} for _ in range(OPERATIONS)]
        answer = await request(
            self.alive[number % len(self.alive)],
            self.headers[number % len(self.tables) % USERS],
            path=f"/api/tables/{table.pk}/proposals/data/",
            body={"operations": operations},
        )
        self._record(answer, name=f"apply {number}", of=self.results.applies)
        self.applied += answer.status in (200, 201)

    def _record(self, answer: Answer, *, name: str, of: list[Answer]) -> None:
        of.append(answer)
        if answer.status not in (200, 201):
            self.results.faults.append(f"{name}: {answer.status} {answer.text}")

    async def _watch(self) -> None:
        """Record connections and memory, twice a second, until cancelled."""
        # Not through the pool, whose connections would be counted.
        looking = await psycopg.AsyncConnection.connect(database_url(), autocommit=True) if POSTGRESQL else None
        while True:
            self.results.connections.append(await connections(looking) if looking else 0)
            for _, pid in self.servers:
                self.results.memory.setdefault(pid, []).append(memory_of(pid))
            await asyncio.sleep(0.5)

    async def _measure_own_delay(self) -> None:
        """Record how late this process wakes, until cancelled."""
        while True:
            began = time.perf_counter()
            await asyncio.sleep(DELAY_INTERVAL)
            self._late.append((time.perf_counter() - began - DELAY_INTERVAL) * 1e3)

    def _report(self, which: str, *, cpu: dict[int, float]) -> None:
        for name, answers in (("reads", self.results.reads), ("applies", self.results.applies)):
            times = quantiles([answer.seconds * 1e3 for answer in answers], n=20)
            target = f" (target < {MAX_MS})" if name == "reads" else ""
            print(
                f"  {which:5} {name:8} {len(answers):5}, p50 {times[9]:6.0f} ms, p95 {times[18]:6.0f} ms{target},"
                f" longest {max(answer.seconds for answer in answers) * 1e3:6.0f} ms"
            )
        late = quantiles(self._late, n=100)
        print(f"  who asks woke late themselves: p95 {late[94]:.0f} ms, longest {max(self._late):.0f} ms", end="; ")
        print(f"so many wanted a core at the end: {os.getloadavg()[0]:.1f} of {os.cpu_count()}")
        for pid, seconds in cpu.items():
            samples = self.results.memory[pid][-2 * self.seconds :]
            third = max(1, len(samples) // 3)
            first, last = sum(samples[:third]) / third, sum(samples[-third:]) / third
            print(
                f"  process {pid}: {seconds / self.seconds * 100:3.0f} % of a core, {first:.0f} MB in the first third,"
                f" {last:.0f} MB in the last: {last / first:.2f} × (target ≤ {MAX_GROWTH})"
            )
        print(f"  connections, at most {max(self.results.connections)} (target ≤ {MAX_CONNECTIONS})", flush=True)

    def _report_streams(self, streams: list[asyncio.Task[None]]) -> None:
        whole = sum(stream.is_whole for stream in self.results.streams)
        open_yet = sum(not stream.done() for stream in streams)
        deltas = sum(stream.deltas for stream in self.results.streams)
        print(f"streams: {whole} of {STREAMS} whole, half were at the killed process; {deltas:,} deltas received")
        if open_yet:
            self.results.faults.append(f"{open_yet} streams never ended")


async def connections(looking: psycopg.AsyncConnection) -> int:
    """Return the number of connections to this database, except this one."""
    found = await looking.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    row = await found.fetchone()
    return int(row[0]) if row else 0


def find_losses(tables: list[Table], *, answered: int) -> list[str]:
    """Return applies that were answered but left no row, or wrong rows, changes or counts."""
    changes = Change.objects.filter(table__in=tables, version__gt=1).count()
    faults = [] if changes >= answered else [f"{answered} applies were answered, {changes} are there"]
    for table in Table.objects.filter(pk__in=[table.pk for table in tables]):
        rows = table.rows.filter(deleted_at=None).count()
        created = ROWS + OPERATIONS * table.changes.filter(version__gt=1).count()
        if not rows == created == table.known_rows:
            faults.append(f"table {table.pk} has {rows} rows, knows of {table.known_rows}, and should have {created}")
    return faults


def main() -> None:
    """Measure two processes, then one."""
    seconds, then = (20, 10) if SHORT else (180, 30)
    prepare()
    users = [User.objects.create_user(f"person{number}") for number in range(USERS)]
    tables = [seeded(user, rows=ROWS) for user in users]
    headers = [headers_of(user) for user in users]
    deltas = PACE * (OPENING + seconds + then)
    print(f"{STREAMS} streams × {PACE} deltas a second, {READS} reads and {APPLIES} applies a second, {seconds} s")
    began = time.perf_counter()
    with ExitStack() as stack:
        provider, _ = stack.enter_context(process("-m", "tests.bench.provider", str(deltas), str(PACE)))
        variables = {"REDIS_URL": stack.enter_context(redis()), "DATABASE_CONNECTIONS": CONNECTIONS}
        # Streams last for the whole run, so model calls must not time out.
        variables |= {"CHAT_CALL_SECONDS": "600", "CHAT_TURN_SECONDS": "900"}
        servers = [stack.enter_context(server(provider, bare=False, **variables)) for _ in range(2)]
        load = Load(tables, headers=headers, servers=servers, seconds=seconds)
        connection.close()
        if POSTGRESQL:
            connection.close_pool()
        asyncio.run(load.run(then=then))
    faults = load.results.faults + find_losses(tables, answered=load.applied)
    if max(load.results.connections) > MAX_CONNECTIONS:
        faults.append("too many connections")
    print(f"{len(faults)} faults, {time.perf_counter() - began:.0f} s")
    if faults:
        sys.exit("\n".join(faults[:20]))


if __name__ == "__main__":
    main()
