"""Load tests: durations for other users and memory use. Run them alone on the machine to get meaningful figures:

    python3 manage.py test --soak tests/tables/concurrency/test_load.py -s
    python3 manage.py test --soak --postgres tests/tables/concurrency/test_load.py -s

Together with other tests, as in the whole `--soak` run, durations are only printed. The processor time of the server is
printed as well: it shows whether the attack or another program caused the delay.

Memory is compared with a warmed-up process: all modules loaded, as in production, all connections and threads used, one
large request processed. Python allocates small objects in arenas of 1 MB and frees an arena when it is empty, so that
some arenas of the largest request stay. They are reused: a process grows with its first burst, and hardly with later
ones. Both are asserted, for five bursts of 24 parallel requests. Measured
with writes of 10,000 rows on SQLite: 178 MB at first, 195 MB after one such write, 1.18 times as much after the first
burst, and 1.02 times as much as that after the fifth. The most is 1.05 to 1.08 times as much after the fifth burst,
with writes to locked rows on PostgreSQL: the bytes in use are the same after each burst, and no more arenas than at the
peak.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from tables.models import Member, Table
from tests.chat.stream_client import Browser
from tests.tables.concurrency.attacks import ATTACKS, COLUMNS, EXPECTED_STATUSES, large_table
from tests.tables.concurrency.fork_server import ROOT
from tests.tables.concurrency.other_user import OtherUser, percentile
from tests.tables.concurrency.processes import ServerProcess
from tests.tables.consumers.sockets import session_of
from tests.tables.sample_tables import write_table

pytestmark = [pytest.mark.soak, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

ATTACKERS, PARALLEL, BURSTS, ROWS = 3, 8, 5, 45_000
SOCKETS, BURST = 500, [sys.executable, "-m", "tests.tables.concurrency.socket_burst"]
# The default limits of a server. Other tests have higher ones, so that they pass on slow machines.
LIMITS = {"DATABASE_READ_SECONDS": "5", "DATABASE_WRITE_SECONDS": "20", "DATABASE_LOCK_SECONDS": "5"}
READ_SECONDS, WRITE_SECONDS, REFUSAL_SECONDS = 1.0, 2.0, 6.0
# Maximum ratios of the sizes after and before the first burst, and after the last and the first burst.
MEMORY_FACTOR, GROWTH_FACTOR = 1.3, 1.1
RETURN_SECONDS = 20.0


@pytest.fixture
def server(django_db_setup: None) -> Iterator[ServerProcess]:
    """A new process for each test, so that its memory does not depend on other tests."""
    process = ServerProcess(**LIMITS)
    try:
        yield process.wait()
    finally:
        process.kill()


@pytest.fixture
def attackers(user: User) -> list[User]:
    return [user, *(User.objects.create_user(f"attacker{number}") for number in range(1, ATTACKERS))]


@pytest.mark.parametrize("attack", ATTACKS)
def test_other_users_are_served_during_expensive_requests(
    server: ServerProcess, attackers: list[User], other_user: User, attack: Any
) -> None:
    requests = [attack(server.address, attacker, rows=ROWS) for attacker in attackers]
    other = OtherUser(server.address, other_user, cpu_seconds=server.cpu_seconds)
    requests[0]()
    before, sizes, statuses = warm_up(server, other, attackers), [], Counter[int]()

    for _ in range(BURSTS):
        with ThreadPoolExecutor(ATTACKERS * PARALLEL) as pool:
            attacks = [pool.submit(request) for request in requests for _ in range(PARALLEL)]
            other.ask_while(lambda: not all(each.done() for each in attacks))  # noqa: B023
        statuses.update(each.result() for each in attacks)
        sizes.append(returned_memory(server, other, max_size=before * MEMORY_FACTOR if not sizes else sizes[0]))

    check_limits(attack.__name__, server, other, before=before, sizes=sizes, note=str(dict(statuses)))
    assert set(statuses) <= EXPECTED_STATUSES


@pytest.mark.postgres_only
def test_other_users_are_served_while_a_lock_is_held(
    server: ServerProcess, attackers: list[User], other_user: User
) -> None:
    tables = [large_table(attacker, rows=1) for attacker in attackers]
    browsers = [Browser(server.address, attacker) for attacker in attackers]
    other = OtherUser(server.address, other_user, cpu_seconds=server.cpu_seconds)

    def write(number: int) -> int:
        table, browser = tables[number % ATTACKERS], browsers[number % ATTACKERS]
        return browser.request("POST", f"/api/tables/{table.pk}/rows/", {COLUMNS[0]: "waits"})[0]

    write(0)
    before = warm_up(server, other, attackers)
    with transaction.atomic():
        list(Table.objects.select_for_update().filter(pk__in=[table.pk for table in tables]))
        started = time.monotonic()
        assert write(0) == 503
        seconds = time.monotonic() - started
        with ThreadPoolExecutor(ATTACKERS * PARALLEL) as pool:
            attacks = [pool.submit(write, number) for number in range(ATTACKERS * PARALLEL)]
            other.ask_while(lambda: not all(attack.done() for attack in attacks))
    sizes = [returned_memory(server, other, max_size=before * MEMORY_FACTOR)]

    statuses = Counter(attack.result() for attack in attacks)
    note = f"one refused after {seconds:.1f} s, {dict(statuses)}"
    check_limits("locks without an end", server, other, before=before, sizes=sizes, note=note)
    assert set(statuses) <= {429, 503}
    assert seconds <= REFUSAL_SECONDS


@pytest.mark.parametrize("tables", [1, 50])
def test_a_burst_of_sockets_is_served(server: ServerProcess, user: User, other_user: User, tables: int) -> None:
    """Pages reconnect after a restart without the random delays of real clients."""
    allow_files(SOCKETS * 2)
    opened = [write_table(user, [("Name", "text")], [], name=f"Table {number}") for number in range(tables)]
    users = [User(username=f"user{number:03}") for number in range(SOCKETS)]
    User.objects.bulk_create(users)
    Member.objects.bulk_create(
        Member(table=opened[number % tables], user=viewer, role="viewer") for number, viewer in enumerate(users)
    )
    pages = [(f"/ws/tables/{opened[number % tables].pk}/", session_of(viewer)) for number, viewer in enumerate(users)]
    browser = Browser(server.address, user)
    other = OtherUser(server.address, other_user, cpu_seconds=server.cpu_seconds)
    browser.request("POST", f"/api/tables/{opened[0].pk}/rows/", {"Name": "first"})
    before = warm_up(server, other, [user])

    with (
        subprocess.Popen(BURST, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as burst,
        ThreadPoolExecutor(1) as pool,
    ):
        assert burst.stdin is not None
        assert burst.stdout is not None
        print(json.dumps({"address": server.address, "pages": pages}), file=burst.stdin, flush=True)
        answered = pool.submit(burst.stdout.readline)
        other.ask_while(lambda: not answered.done())
        for table in opened:
            browser.request("POST", f"/api/tables/{table.pk}/rows/", {"Name": "news"})
        ended = pool.submit(burst.stdout.readline)
        other.ask_while(lambda: not ended.done())
    sizes = [returned_memory(server, other, max_size=before * MEMORY_FACTOR)]

    seconds = json.loads(answered.result())["seconds"]
    note = f"joined within {seconds:.1f} s, {ended.result().strip()}"
    check_limits(f"{SOCKETS} sockets of {tables} tables", server, other, before=before, sizes=sizes, note=note)
    assert json.loads(ended.result()) == {"received": SOCKETS, "closed": {}}


def warm_up(server: ServerProcess, other: OtherUser, attackers: list[User]) -> int:
    """Use all threads and connections of the server; return its size."""
    with ThreadPoolExecutor(ATTACKERS * PARALLEL) as pool:
        browsers = [Browser(server.address, attacker) for attacker in attackers] * PARALLEL
        list(pool.map(lambda browser: browser.request("GET", "/api/tables/"), browsers))
    other.ask_uncounted()
    return memory_of(server)


def memory_of(process: ServerProcess) -> int:
    """Return the resident bytes of a server."""
    return int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * resource.getpagesize()


def peak_of(process: ServerProcess) -> int:
    """Return the peak memory of a server in bytes."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) * 1024


def returned_memory(server: ServerProcess, other: OtherUser, *, max_size: float) -> int:
    """Send requests until the server has at most this size or the time is over; return its size."""
    deadline = time.monotonic() + RETURN_SECONDS
    while memory_of(server) > max_size and time.monotonic() < deadline:
        other.ask_uncounted()
    return memory_of(server)


def check_limits(
    name: str, server: ServerProcess, other: OtherUser, *, before: int, sizes: list[int], note: str
) -> None:
    """Print the figures and assert the limits; `sizes` has the size after each burst."""
    read, write = (percentile(response.seconds for response in responses) for responses in (other.reads, other.writes))
    cpu_seconds = percentile(response.cpu_seconds for response in (*other.reads, *other.writes))
    growth = f"{sizes[0] / before:.2f} x, then {', '.join(f'{size / sizes[0]:.2f}' for size in sizes[1:])} x"
    load = f"load {os.getloadavg()[0]:.1f}"
    print(f"\n{connection.vendor}, {name}, {load}: {len(other.reads)} reads and as many writes,")
    print(f"  p99 {read:.2f} s and {write:.2f} s, in which the server used {cpu_seconds:.2f} s of processor time;")
    print(f"  memory {before / 1e6:.0f} MB, {growth}, at most {peak_of(server) / before:.2f} x; {note}")
    assert other.are_served()
    assert sizes[0] <= before * MEMORY_FACTOR
    assert sizes[-1] <= sizes[0] * GROWTH_FACTOR
    if "PYTEST_XDIST_WORKER" not in os.environ:
        assert (read <= READ_SECONDS, write <= WRITE_SECONDS) == (True, True)


def allow_files(count: int) -> None:
    """Raise the limit of open files for this process and the servers it starts."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < count + 200:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count + 200, hard), hard))
