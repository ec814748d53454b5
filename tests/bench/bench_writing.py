"""Measure bulk writes over HTTP beside Datasette; `python -m tests.bench.bench_writing --datasette PATH`.

PATH is the `datasette` program, version 1.0 or a preview of it, because earlier ones cannot write, of an environment of
its own (`python3 -m venv …; pip install --pre datasette`). Datasette stores plain columns in SQLite, without checks and
undo, and answers without the rows; this project answers with them, and without them for `Prefer: return=minimal`.
Both databases of this project are measured in the same rounds. CPU times do not include the processes of PostgreSQL.
"""
from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
import argparse
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection

from tables.models import Table
from tables.operations import Origin
from tables.services import create_table
from tests.bench.databases import COLUMNS, cells, prepare
from tests.bench.load_tools import free_port, running
from tests.bench.streaming import ROOT, cpu_of, headers_of, server

ROUNDS = 9
DATABASES = ("sqlite", "postgres")
MINIMAL = {"Prefer": "return=minimal"}
FEW, MANY = 1_000, 10_000


@dataclass
class Peer:
    """A server with an empty table: its process, and the lowest duration and CPU time by kind of write."""

    name: str
    address: str
    pid: int
    headers: dict[str, str]
    path: str
    best: dict[str, float] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)

    def measure(self, what: str, method: str, path: str, content: Any, **headers: str) -> bytes:
        """Send a request, note its duration and the CPU time of the server, and return the body of the response."""
        body = json.dumps(content).encode()
        headers = {**self.headers, "Content-Type": "application/json", **headers}
        with closing(HTTPConnection(urlsplit(self.address).netloc, timeout=120)) as client:
            used, began = cpu_of(self.pid), time.perf_counter()
            client.request(method, path, body, headers)
            response = client.getresponse()
            answer = response.read()
            took, spent = time.perf_counter() - began, cpu_of(self.pid) - used
        assert response.status in (200, 201), answer[:500]
        self.best[what] = min(took, self.best.get(what, took))
        self.cpu[what] = min(spent, self.cpu.get(what, spent))
        return answer


def rows_of(count: int, *, first: int) -> list[dict[str, Any]]:
    """Return distinct new rows."""
    return [cells(first + number) for number in range(count)]


def write_ours(peer: Peer, *, number: int) -> None:
    """Write each kind of body to this project once, with and without rows in the response."""
    few: list[int] = []
    for count in (FEW, MANY):
        body = {"rows": rows_of(count, first=number * 50_000)}
        answer = peer.measure(f"insert {count:,}", "POST", peer.path, body)
        few = few or [row["id"] for row in json.loads(answer)["rows"]]
        peer.measure(f"insert {count:,}, minimal", "POST", peer.path, body, **MINIMAL)
    for value, name, headers in ((0, "", {}), (1, ", minimal", MINIMAL)):
        changed = [{"id": pk, "data": {"Salary": 2 * number + value}} for pk in few]
        peer.measure(f"update {FEW:,}{name}", "PATCH", peer.path, {"rows": changed}, **headers)


def write_theirs(peer: Peer, *, number: int) -> None:
    """Write the same to Datasette."""
    for count in (FEW, MANY):
        body = {"rows": rows_of(count, first=number * 50_000)}
        peer.measure(f"insert {count:,}", "POST", f"{peer.path}/-/insert", body)
    changed = [{"id": pk, "Salary": number} for pk in range(1, FEW + 1)]
    peer.measure(f"update {FEW:,}", "POST", f"{peer.path}/-/upsert", {"rows": changed})


@contextmanager
def datasette(program: str) -> Iterator[Peer]:
    """Run Datasette with an empty table of the same columns."""
    file = Path(settings.DATA_DIR) / "bench_writing.sqlite3"
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(f"CREATE TABLE rows (id INTEGER PRIMARY KEY, {', '.join(each['name'] for each in COLUMNS)})")
    port = free_port()
    command = [
        program, "serve", str(file), "--port", str(port), "--setting", "max_insert_rows", str(MANY),
        "-s", "permissions.insert-row", "true", "-s", "permissions.update-row", "true",
    ]  # fmt: skip
    with running(command, port=port) as pid:
        yield Peer("datasette", f"http://127.0.0.1:{port}", pid, {}, "/bench_writing/rows")


def serve() -> None:
    """Serve a table of one database until the standard input ends."""
    user = prepare_quietly()
    table: Table = create_table(user=user, name="Bench", columns=COLUMNS, origin=Origin("api"))
    with server("http://127.0.0.1:9", bare=False) as (address, pid):
        lines = headers_of(user).strip().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        served = {"address": address, "pid": pid, "headers": headers, "path": f"/api/tables/{table.pk}/rows/"}
        print(json.dumps(served), flush=True)
        sys.stdin.read()
    connection.close()


def prepare_quietly() -> Any:
    """Create an empty database, without a line on the standard output."""
    output, sys.stdout = sys.stdout, sys.stderr
    try:
        return prepare()
    finally:
        sys.stdout = output


@contextmanager
def ours(database: str) -> Iterator[Peer]:
    """Run this project with one of its databases."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.bench.bench_writing", "--serve"], cwd=ROOT, text=True,
        env={**os.environ, "TEST_DATABASE": database}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as started:  # fmt: skip
        assert started.stdout is not None
        line = started.stdout.readline()
        yield Peer(database, **json.loads(line))
        assert started.stdin is not None
        started.stdin.close()


def report(peers: list[Peer]) -> None:
    """Print the lowest durations and CPU times beside those of Datasette."""
    baseline = next((peer for peer in peers if peer.name == "datasette"), None)
    for peer in peers:
        for what, best in peer.best.items():
            spent = peer.cpu[what]
            line = f"{peer.name:10} {what:24} {best * 1e3:6.1f} ms, CPU of the process {spent * 1e3:5.1f} ms"
            if baseline and peer is not baseline:
                name = what.removesuffix(", minimal")
                used = spent / baseline.cpu[name]
                target = 3 if name.startswith("update") else 2.2
                line += f": {best / baseline.best[name]:4.2f} × Datasette, CPU {used:4.2f} × (target ≤ {target})"
            print(line, flush=True)


def main() -> None:
    """Measure both databases and Datasette in turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasette", help="path of the program")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve()
    if not options.datasette:
        print("Datasette is missing: install a version 1.0 in another environment, and give --datasette PATH")
    with ExitStack() as stack:
        peers = [stack.enter_context(ours(database)) for database in DATABASES]
        peers += [stack.enter_context(datasette(options.datasette))] if options.datasette else []
        for number in range(options.rounds):
            for peer in peers:
                (write_theirs if peer.name == "datasette" else write_ours)(peer, number=number)
        report(peers)
    return None


if __name__ == "__main__":
    main()
