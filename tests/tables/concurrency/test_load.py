"""Load, measured: how long others wait, and whether memory returns. By name and alone on the machine, with the figures:

    python3 manage.py test --soak tests/tables/concurrency/test_load.py -s
    python3 manage.py test --soak --postgres tests/tables/concurrency/test_load.py -s

Beside other tests, as in the whole `--soak` run, times mean nothing and are printed only. For how long the server
worked while the others waited is printed as well: it shows whether the attack or another program made them wait.

Memory is compared with a process that has its working size: all modules loaded, as in production, every connection and
thread used, one large request done. Python allocates small objects in arenas of 1 MB and returns an arena when nothing
in it is in use any more, so that some arenas of the largest request stay. They are used again: a process grows with its
first burst, and hardly with those that follow. Both are asserted, for five bursts of 24 parallel requests. Measured
with writes of 10,000 rows on SQLite: 178 MB at first, 195 MB after one such write, 1.18 times as much after the first
burst, and 1.02 times as much as that after the fifth.
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
from tests.tables.concurrency.attacks import ANSWERS, ATTACKS, COLUMNS, large_table
from tests.tables.concurrency.fork_server import ROOT
from tests.tables.concurrency.other_user import Others, percentile
from tests.tables.concurrency.processes import ServerProcess
from tests.tables.consumers.sockets import session_of
from tests.tables.sample_tables import write_table

pytestmark = [pytest.mark.soak, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

ATTACKERS, PARALLEL, BURSTS, ROWS = 3, 8, 5, 45_000
SOCKETS, BURST = 500, [sys.executable, "-m", "tests.tables.concurrency.socket_burst"]
# The limits of an ordinary server. Other tests have higher ones: there a slow machine must not decide.
LIMITS = {"DATABASE_READ_SECONDS": "5", "DATABASE_WRITE_SECONDS": "20", "DATABASE_LOCK_SECONDS": "5"}
READ_SECONDS, WRITE_SECONDS = 1.0, 2.0
# The size after the first burst, by that of the process before; and after the last burst, by that after the first.
MEMORY_FACTOR, GROWTH_FACTOR = 1.3, 1.1
RETURN_SECONDS = 20.0


@pytest.fixture
def server(django_db_setup: None) -> Iterator[ServerProcess]:
    """A process of its own for each test, so that no test measures what another has left."""
    process = ServerProcess(**LIMITS)
    try:
        yield process.wait()
    finally:
        process.kill()


@pytest.fixture
def attackers(user: User) -> list[User]:
    return [user, *(User.objects.create_user(f"attacker{number}") for number in range(1, ATTACKERS))]


@pytest.mark.parametrize("attack", ATTACKS)
def test_others_are_served_during_the_costliest_requests(
    server: ServerProcess, attackers: list[User], other_user: User, attack: Any
) -> None:
    requests = [attack(server.address, attacker, rows=ROWS) for attacker in attackers]
    others = Others(server.address, other_user, worked=server.worked)
    requests[0]()
    before, sizes, answers = warmed_up(server, others, attackers), [], Counter[int]()

    for _ in range(BURSTS):
        with ThreadPoolExecutor(ATTACKERS * PARALLEL) as pool:
            attacks = [pool.submit(request) for request in requests for _ in range(PARALLEL)]
            others.ask_while(lambda: not all(each.done() for each in attacks))  # noqa: B023
        answers.update(each.result() for each in attacks)
        sizes.append(returned_memory(server, others, most=before * MEMORY_FACTOR if not sizes else sizes[0]))

    judge(attack.__name__, server, others, before=before, sizes=sizes, note=str(dict(answers)))
    assert set(answers) <= ANSWERS


@pytest.mark.postgres_only
def test_others_are_served_while_a_lock_never_ends(
    server: ServerProcess, attackers: list[User], other_user: User
) -> None:
    tables = [large_table(attacker, rows=1) for attacker in attackers]
    browsers = [Browser(server.address, attacker) for attacker in attackers]
    others = Others(server.address, other_user, worked=server.worked)

    def write(number: int) -> int:
        table, browser = tables[number % ATTACKERS], browsers[number % ATTACKERS]
        return browser.request("POST", f"/api/tables/{table.pk}/rows/", {COLUMNS[0]: "waits"})[0]

    write(0)
    before = warmed_up(server, others, attackers)
    with transaction.atomic():
        list(Table.objects.select_for_update().filter(pk__in=[table.pk for table in tables]))
        with ThreadPoolExecutor(ATTACKERS * PARALLEL) as pool:
            attacks = [pool.submit(write, number) for number in range(ATTACKERS * PARALLEL)]
            others.ask_while(lambda: not all(each.done() for each in attacks))
    sizes = [returned_memory(server, others, most=before * MEMORY_FACTOR)]

    answers = Counter(each.result() for each in attacks)
    judge("locks without an end", server, others, before=before, sizes=sizes, note=str(dict(answers)))
    assert set(answers) <= {429, 503}


@pytest.mark.parametrize("tables", [1, 50])
def test_a_burst_of_sockets_is_served(server: ServerProcess, user: User, other_user: User, tables: int) -> None:
    """Pages that connect again after a restart, all at the same moment: without the delays that spread them."""
    allow_files(SOCKETS * 2)
    opened = [write_table(user, [("Name", "text")], [], name=f"Table {number}") for number in range(tables)]
    people = [User(username=f"user{number:03}") for number in range(SOCKETS)]
    User.objects.bulk_create(people)
    Member.objects.bulk_create(
        Member(table=opened[number % tables], user=person, role="viewer") for number, person in enumerate(people)
    )
    pages = [(f"/ws/tables/{opened[number % tables].pk}/", session_of(person)) for number, person in enumerate(people)]
    browser = Browser(server.address, user)
    others = Others(server.address, other_user, worked=server.worked)
    browser.request("POST", f"/api/tables/{opened[0].pk}/rows/", {"Name": "first"})
    before = warmed_up(server, others, [user])

    with (
        subprocess.Popen(BURST, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as burst,
        ThreadPoolExecutor(1) as pool,
    ):
        assert burst.stdin is not None
        assert burst.stdout is not None
        print(json.dumps({"address": server.address, "pages": pages}), file=burst.stdin, flush=True)
        answered = pool.submit(burst.stdout.readline)
        others.ask_while(lambda: not answered.done())
        for table in opened:
            browser.request("POST", f"/api/tables/{table.pk}/rows/", {"Name": "news"})
        ended = pool.submit(burst.stdout.readline)
        others.ask_while(lambda: not ended.done())
    sizes = [returned_memory(server, others, most=before * MEMORY_FACTOR)]

    seconds = json.loads(answered.result())["seconds"]
    note = f"joined within {seconds:.1f} s, {ended.result().strip()}"
    judge(f"{SOCKETS} sockets of {tables} tables", server, others, before=before, sizes=sizes, note=note)
    assert json.loads(ended.result()) == {"heard": SOCKETS, "closed": {}}


def warmed_up(server: ServerProcess, others: Others, attackers: list[User]) -> int:
    """Return the size of the server once all its threads and connections are used."""
    with ThreadPoolExecutor(ATTACKERS * PARALLEL) as pool:
        browsers = [Browser(server.address, attacker) for attacker in attackers] * PARALLEL
        list(pool.map(lambda browser: browser.request("GET", "/api/tables/"), browsers))
    others.ask_uncounted()
    return memory_of(server)


def memory_of(process: ServerProcess) -> int:
    """Return the resident bytes of a server."""
    return int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * resource.getpagesize()


def peak_of(process: ServerProcess) -> int:
    """Return the most that a server has used, in bytes."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) * 1024


def returned_memory(server: ServerProcess, others: Others, *, most: float) -> int:
    """Return the size of the server, which goes on serving, once it is at most so much or the time is over."""
    deadline = time.monotonic() + RETURN_SECONDS
    while memory_of(server) > most and time.monotonic() < deadline:
        others.ask_uncounted()
    return memory_of(server)


def judge(name: str, server: ServerProcess, others: Others, *, before: int, sizes: list[int], note: str) -> None:
    """Print the figures and assert the limits; `sizes` are those after each burst."""
    read, write = (percentile(each.seconds for each in asked) for asked in (others.reads, others.writes))
    worked = percentile(each.worked for each in (*others.reads, *others.writes))
    growth = f"{sizes[0] / before:.2f} x, then {sizes[-1] / sizes[0]:.2f} x"
    load = f"load {os.getloadavg()[0]:.1f}"
    print(f"\n{connection.vendor}, {name}, {load}: {len(others.reads)} reads and as many writes,")
    print(f"  p99 {read:.2f} s and {write:.2f} s, in which the server worked for {worked:.2f} s;")
    print(f"  memory {before / 1e6:.0f} MB, {growth}, at most {peak_of(server) / before:.2f} x; {note}")
    assert others.are_served()
    assert sizes[0] <= before * MEMORY_FACTOR
    assert sizes[-1] <= sizes[0] * GROWTH_FACTOR
    if "PYTEST_XDIST_WORKER" not in os.environ:
        assert (read <= READ_SECONDS, write <= WRITE_SECONDS) == (True, True)


def allow_files(count: int) -> None:
    """Let this process, and the servers it starts, have so many files open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < count + 200:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count + 200, hard), hard))
