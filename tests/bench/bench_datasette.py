"""Measure pages of 100 rows over HTTP beside Datasette; `python -m tests.bench.bench_datasette --datasette PATH`.

PATH is the `datasette` program of an environment of its own (`python3 -m venv …; pip install datasette`). Without it,
only this project is measured. Both serve the same rows, with indexes for the views, from one process each. `--rows` is
100,000 by default.
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
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from tables.models import Table
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.sorts import parse_sort
from tables.selectors import table_shape
from tables.services import record_column_use, update_cell_indexes
from tests.bench.databases import COLUMNS, cells, prepare, seeded
from tests.bench.load_tools import free_port, running
from tests.bench.streaming import headers_of, server

ROUNDS = 40
MAX_RATIO = 1.3
OFFERS = {"column": "Status", "op": "any_of", "value": ["Offer"]}
WELL_PAID = {"and": [OFFERS, {"column": "Salary", "op": "gt", "value": 100_000}]}


@dataclass(frozen=True)
class View:
    """The same rows in the query of each."""

    name: str
    ours: dict[str, str]
    datasette: dict[str, str]


VIEWS = (
    View("list", {}, {}),
    View(
        "filter and sort",
        {"filter": json.dumps(WELL_PAID), "sort": "-Salary"},
        {"Status": "Offer", "Salary__gt": "100000", "_sort_desc": "Salary"},
    ),
    View("sort by text", {"sort": "Company"}, {"_sort": "Company"}),
    View("search", {"search": "number 4711"}, {"_search": "number 4711"}),
    View("search, frequent", {"search": "called"}, {"_search": "called"}),
    View("offset 50,000", {"offset": "50000"}, {"sql": "SELECT * FROM rows ORDER BY id LIMIT 100 OFFSET 50000"}),
)


@contextmanager
def datasette(program: str, *, rows: int) -> Iterator[str]:
    """Serve the rows of the benchmark with Datasette, which has no folded order of texts; yield the address."""
    file = Path(settings.DATA_DIR) / "bench.sqlite3"
    names = [column["name"] for column in COLUMNS]
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(f"CREATE TABLE rows (id INTEGER PRIMARY KEY, {', '.join(names)})")
        values = ", ".join(["?"] * len(names))
        database.executemany(
            f"INSERT INTO rows ({', '.join(names)}) VALUES ({values})",
            ([cells(number)[name] for name in names] for number in range(rows)),
        )
        for name in ("Status", "Salary", "Company"):
            database.execute(f"CREATE INDEX rows_by_{name} ON rows ({name})")
        database.execute("CREATE VIRTUAL TABLE rows_fts USING fts5 (Company, Status, Note, content='rows')")
        searched = "Company, Status, Note"
        database.execute(f"INSERT INTO rows_fts (rowid, {searched}) SELECT id, {searched} FROM rows")
        database.execute("ANALYZE")
    port = free_port()
    command = [program, "serve", str(file), "--port", str(port), "--setting", "suggest_facets", "off"]
    with running(command, port=port):
        yield f"http://127.0.0.1:{port}/bench/rows.json"


def seconds(url: str, query: dict[str, str], headers: dict[str, str]) -> float:
    """Return the duration of one request, until its last byte."""
    parts = urlsplit(url)
    with closing(HTTPConnection(parts.netloc, timeout=60)) as client:
        client.connect()
        began = time.perf_counter()
        client.request("GET", f"{parts.path}?{urlencode(query, quote_via=quote)}", headers=headers)
        response = client.getresponse()
        body = response.read()
        took = time.perf_counter() - began
    assert response.status == 200, body[:500]
    rows = json.loads(body)["rows"]
    assert len(rows) == 100 or "search" in str(query), len(rows)
    return took


def create_indexes(table: Table) -> None:
    """Create the indexes of the views as a worker does."""
    shape = table_shape(table)
    for view in VIEWS:
        raw = json.loads(view.ours.get("filter", "null"))
        condition = parse_filter(raw, shape=shape, today=timezone.now().date())
        sort = parse_sort(view.ours.get("sort", ""), shape=shape)
        record_column_use(table, sort=sort, filter=condition, search=view.ours.get("search", ""))
    began = time.perf_counter()
    created = update_cell_indexes(pause=lambda _: None).created
    print(f"{len(created)} indexes created in {time.perf_counter() - began:.2f} s")


def report(url: str, *, user: User, peer: str | None, when: str) -> None:
    """Print the lowest time of each view beside that of Datasette in the same rounds."""
    lines = headers_of(user).strip().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    for view in VIEWS:
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(ROUNDS):
            ours.append(seconds(url, {"limit": "100", **view.ours}, headers))
            if peer:
                # Pages of Datasette continue after a row; an offset is a query of the database.
                address = peer.replace("/rows.json", "/-/query.json") if "sql" in view.datasette else peer
                theirs.append(seconds(address, {"_size": "100", "_shape": "objects", **view.datasette}, {}))
        beside = "Datasette is missing"
        if theirs:
            ratio = min(ours) / min(theirs)
            beside = f"Datasette {min(theirs) * 1e3:6.1f} ms: {ratio:4.1f} × (target ≤ {MAX_RATIO})"
        print(f"{when:16} {view.name:16} {min(ours) * 1e3:6.1f} ms, {beside}", flush=True)


def main() -> None:
    """Measure each view before and after creating indexes, on both databases unless TEST_DATABASE names one."""
    if "TEST_DATABASE" not in os.environ:
        for database in ("sqlite", "postgres"):
            command = [sys.executable, "-m", "tests.bench.bench_datasette", *sys.argv[1:]]
            subprocess.run(command, env=os.environ | {"TEST_DATABASE": database}, check=True)
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasette", help="path of the program")
    parser.add_argument("--rows", type=int, default=100_000)
    options = parser.parse_args()
    user = prepare()
    table = seeded(user, rows=options.rows)
    if not options.datasette:
        print("Datasette is missing: install it in another environment, and give --datasette PATH")
    with ExitStack() as stack:
        peer = stack.enter_context(datasette(options.datasette, rows=options.rows)) if options.datasette else None
        address, _ = stack.enter_context(server("http://127.0.0.1:9", bare=False))
        url = f"{address}/api/tables/{table.pk}/rows/"
        report(url, user=user, peer=peer, when="without indexes")
        create_indexes(table)
        report(url, user=user, peer=peer, when="with indexes")
    connection.close()


if __name__ == "__main__":
    main()
