"""Prints how two server processes bear a working day; `TEST_DATABASE=postgres python -m tests.bench.bench_load`.

150 open streams, 20 requests and 2 applies a second for three minutes, over both processes; then one is killed, and the
other carries on for half a minute. `--short`: a quarter of it, for 20 and 10 seconds. Fails where anything but a time
is not as it should be. Where servers run for good there is a worker beside them; here there is none.
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
from tests.bench.load_tools import Answer, ask, memory_of, redis
from tests.bench.streaming import Heard, cpu_of, headers_of, hear, process, server
from tests.tables.concurrency.processes import database_url

SHORT = "--short" in sys.argv
# Open streams, reads and applies a second, deltas of a stream a second: few where others are at work as well.
STREAMS, READS, APPLIES, PACE = (40, 5, 1, 1) if SHORT else (150, 20, 2, 5)
PEOPLE, ROWS = 10, 10_000
OPENING = 15
MOST_CONNECTIONS, MOST_MS, MOST_GROWTH = 20, 200, 1.1
# Of each process; what it has beyond that waits for a free one.
CONNECTIONS = "9"
OPERATIONS = 10
# What is read of each table, and how often this process looks how late it is itself.
KINDS, WINK = 8, 0.01
POSTGRESQL = connection.vendor == "postgresql"


@dataclass
class Seen:
    """What came of everything: answers of reads and of applies, streams, and figures by the second."""

    reads: list[Answer] = field(default_factory=list)
    applies: list[Answer] = field(default_factory=list)
    streams: list[Heard] = field(default_factory=list)
    connections: list[int] = field(default_factory=list)
    memory: dict[int, list[float]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


class Load:
    """Two processes, people with tables, and what they do there."""

    def __init__(
        self, tables: list[Table], *, headers: list[str], servers: list[tuple[str, int]], seconds: int
    ) -> None:
        self.tables, self.headers, self.servers, self.seconds = tables, headers, servers, seconds
        self.alive = [address for address, _ in servers]
        self.applied = 0
        self.seen = Seen()
        self._paths = cycle(self._reads())
        self._operations = self._asked = 0
        # How much too late this process woke, in ms: what it measures of others is too long by as much, now and then.
        self._late: list[float] = []

    async def run(self, *, then: int) -> None:
        """All of it; `then`: for so many seconds with one process alone."""
        watching = [asyncio.create_task(look) for look in (self._watch(), self._listen_to_oneself())]
        streams = [asyncio.create_task(self._stream(number)) for number in range(STREAMS)]
        await asyncio.sleep(OPENING)
        began = {pid: cpu_of(pid) for _, pid in self.servers}
        self._late = []
        await self._work(seconds=self.seconds)
        self._tell("both", cpu={pid: cpu_of(pid) - before for pid, before in began.items()})
        address, pid = self.servers[0]
        self.alive.remove(address)
        os.kill(pid, signal.SIGKILL)
        print(f"killed one of them; the other for {then} s:", flush=True)
        self.seen.reads, self.seen.applies, self._late = [], [], []
        await self._work(seconds=then)
        self._tell("one", cpu={})
        await asyncio.wait(streams, timeout=2 * (OPENING + self.seconds + then))
        for look in watching:
            look.cancel()
        self._tell_streams(streams)

    async def _stream(self, number: int) -> None:
        """One turn about a table, read to its end."""
        await asyncio.sleep(number / STREAMS * OPENING)
        address, _ = self.servers[number % 2]
        table = self.tables[number % len(self.tables)]
        body = {"message": "Hello", "context": {"current_page": "table_view", "table_id": table.pk}}
        heard = Heard()
        self.seen.streams.append(heard)
        try:
            await hear(address, self.headers[number % PEOPLE], body, heard=heard)
        except (OSError, AssertionError) as error:
            heard.last = heard.last or "cut"
            if address in self.alive:
                self.seen.faults.append(f"stream {number}: {error!r}")
        if address in self.alive and not heard.is_whole:
            self.seen.faults.append(f"stream {number} ended with {heard.last!r} after {heard.deltas} deltas")

    async def _work(self, *, seconds: int) -> None:
        """Reads and applies at their pace, whether or not earlier ones were answered."""
        asked = [
            asyncio.create_task(self._at(seconds=number / READS, do=self._read)) for number in range(seconds * READS)
        ]
        asked += [
            asyncio.create_task(self._at(seconds=number / APPLIES, do=self._apply))
            for number in range(seconds * APPLIES)
        ]
        await asyncio.gather(*asked)

    async def _at(self, *, seconds: float, do: Callable[[], Awaitable[None]]) -> None:
        await asyncio.sleep(seconds)
        await do()

    def _reads(self) -> Iterator[tuple[int, str]]:
        """Who reads what: pages, windows of rows, one table, its history, all tables."""
        for number, table in enumerate(self.tables):
            base = f"/api/tables/{table.pk}/"
            for path in (
                f"/tables/{table.pk}/", f"{base}rows/?limit=100", f"{base}rows/?limit=100&sort=-Salary", base,
                f"{base}changes/", f"{base}rows/?limit=100&offset=5000", "/api/tables/", f"{base}rows/?search=77",
            ):  # fmt: skip
                yield number % PEOPLE, path

    async def _read(self) -> None:
        person, path = next(self._paths)
        # By turns as they are asked, not as they are answered: all that came while one waited would go where it waits.
        # Once round the paths the other begins, so that each process is asked for each.
        self._asked += 1
        address = self.alive[(self._asked + self._asked // KINDS) % len(self.alive)]
        answer = await ask(address, self.headers[person], path=path)
        self._took(answer, what=f"GET {path}", of=self.seen.reads)

    async def _apply(self) -> None:
        number = self._operations = self._operations + 1
        table = self.tables[number % len(self.tables)]
        operations = [{"action": "add", "data": {"Company": f"{number}"}} for _ in range(OPERATIONS)]
        answer = await ask(
            self.alive[number % len(self.alive)],
            self.headers[number % len(self.tables) % PEOPLE],
            path=f"/api/tables/{table.pk}/proposals/data/",
            body={"operations": operations},
        )
        self._took(answer, what=f"apply {number}", of=self.seen.applies)
        self.applied += answer.status in (200, 201)

    def _took(self, answer: Answer, *, what: str, of: list[Answer]) -> None:
        of.append(answer)
        if answer.status not in (200, 201):
            self.seen.faults.append(f"{what}: {answer.status} {answer.said}")

    async def _watch(self) -> None:
        """Connections and memory, twice a second, until told to end."""
        # Not by our own pool, whose connections would be counted.
        looking = await psycopg.AsyncConnection.connect(database_url(), autocommit=True) if POSTGRESQL else None
        while True:
            self.seen.connections.append(await connections(looking) if looking else 0)
            for _, pid in self.servers:
                self.seen.memory.setdefault(pid, []).append(memory_of(pid))
            await asyncio.sleep(0.5)

    async def _listen_to_oneself(self) -> None:
        """How late this process is itself, until told to end."""
        while True:
            began = time.perf_counter()
            await asyncio.sleep(WINK)
            self._late.append((time.perf_counter() - began - WINK) * 1e3)

    def _tell(self, which: str, *, cpu: dict[int, float]) -> None:
        for name, answers in (("reads", self.seen.reads), ("applies", self.seen.applies)):
            times = quantiles([answer.seconds * 1e3 for answer in answers], n=20)
            target = f" (target < {MOST_MS})" if name == "reads" else ""
            print(
                f"  {which:5} {name:8} {len(answers):5}, p50 {times[9]:6.0f} ms, p95 {times[18]:6.0f} ms{target},"
                f" longest {max(answer.seconds for answer in answers) * 1e3:6.0f} ms"
            )
        late = quantiles(self._late, n=100)
        print(f"  who asks woke late themselves: p95 {late[94]:.0f} ms, longest {max(self._late):.0f} ms", end="; ")
        print(f"so many wanted a core at the end: {os.getloadavg()[0]:.1f} of {os.cpu_count()}")
        for pid, seconds in cpu.items():
            kept = self.seen.memory[pid][-2 * self.seconds :]
            third = max(1, len(kept) // 3)
            first, last = sum(kept[:third]) / third, sum(kept[-third:]) / third
            print(
                f"  process {pid}: {seconds / self.seconds * 100:3.0f} % of a core, {first:.0f} MB in the first third,"
                f" {last:.0f} MB in the last: {last / first:.2f} × (target ≤ {MOST_GROWTH})"
            )
        print(f"  connections, at most {max(self.seen.connections)} (target ≤ {MOST_CONNECTIONS})", flush=True)

    def _tell_streams(self, streams: list[asyncio.Task[None]]) -> None:
        whole = sum(heard.is_whole for heard in self.seen.streams)
        open_yet = sum(not stream.done() for stream in streams)
        deltas = sum(heard.deltas for heard in self.seen.streams)
        print(f"streams: {whole} of {STREAMS} whole, half were at the killed process; {deltas:,} deltas heard")
        if open_yet:
            self.seen.faults.append(f"{open_yet} streams never ended")


async def connections(looking: psycopg.AsyncConnection) -> int:
    """Connections to this database, but for the one that looks."""
    found = await looking.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    row = await found.fetchone()
    return int(row[0]) if row else 0


def lost(tables: list[Table], *, answered: int) -> list[str]:
    """Applies that were answered and left nothing, or left something else than rows, change and count."""
    changes = Change.objects.filter(table__in=tables, version__gt=1).count()
    faults = [] if changes >= answered else [f"{answered} applies were answered, {changes} are there"]
    for table in Table.objects.filter(pk__in=[table.pk for table in tables]):
        rows = table.rows.filter(deleted_at=None).count()
        made = ROWS + OPERATIONS * table.changes.filter(version__gt=1).count()
        if not rows == made == table.known_rows:
            faults.append(f"table {table.pk} has {rows} rows, knows of {table.known_rows}, and should have {made}")
    return faults


def main() -> None:
    """Two processes, then one."""
    seconds, then = (20, 10) if SHORT else (180, 30)
    prepare()
    people = [User.objects.create_user(f"person{number}") for number in range(PEOPLE)]
    tables = [seeded(person, rows=ROWS) for person in people]
    headers = [headers_of(person) for person in people]
    deltas = PACE * (OPENING + seconds + then)
    print(f"{STREAMS} streams × {PACE} deltas a second, {READS} reads and {APPLIES} applies a second, {seconds} s")
    began = time.perf_counter()
    with ExitStack() as stack:
        provider, _ = stack.enter_context(process("-m", "tests.bench.provider", str(deltas), str(PACE)))
        variables = {"REDIS_URL": stack.enter_context(redis()), "DATABASE_CONNECTIONS": CONNECTIONS}
        # A stream is as long as all of it: no call of a model's is given up meanwhile.
        variables |= {"CHAT_CALL_SECONDS": "600", "CHAT_TURN_SECONDS": "900"}
        servers = [stack.enter_context(server(provider, bare=False, **variables)) for _ in range(2)]
        load = Load(tables, headers=headers, servers=servers, seconds=seconds)
        connection.close()
        if POSTGRESQL:
            connection.close_pool()
        asyncio.run(load.run(then=then))
    faults = load.seen.faults + lost(tables, answered=load.applied)
    if max(load.seen.connections) > MOST_CONNECTIONS:
        faults.append("too many connections")
    print(f"{len(faults)} faults, {time.perf_counter() - began:.0f} s")
    if faults:
        sys.exit("\n".join(faults[:20]))


if __name__ == "__main__":
    main()
