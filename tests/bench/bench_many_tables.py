"""Compare a table among many with the same table alone, on PostgreSQL; `python -m tests.bench.bench_many_tables`.

Two tables are measured: a large one of 10,000 rows, with the indexes on cells and of texts that workers create for the
requests, and one of `--rows` (1,000) rows. The others are `--tables` (9,930) of as many rows with ten columns, and
`--large` (70) like the large one with an index on each column and a search index, which together are about the 32
indexes on cells that each of the `--partitions` (16) can have: 10,000 tables, 10,600,000 rows, 9 GB of disk, and about
15 minutes. The database alone is a copy that is made before the other tables, so that both have the same tables with
the same ids. Each request is sent in this process to one database and then to the other. Their lowest time counts, and
the lowest time of the processor in this process and the server, which other load on the machine changes less. Buffers
are those that all statements of a request read, as EXPLAIN ANALYZE counts them. The server and its data are deleted
when this process ends, however it ends. With TEST_DATABASE_URL, a database that an earlier run has filled is measured
again.
"""
from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
import argparse
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tables.models import Column, ColumnUse, Row, Table
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.sorts import parse_sort
from tables.selectors import TRASH_RETENTION, table_shape
from tables.selectors.sql.cell_indexes import LARGE
from tables.services import record_column_use, update_cell_indexes
from tables.services.partitions import partition_of
from tables.services.retention import empty_trash
from tests.bench.databases import COLUMNS, cells, prepare, seeded

ALONE = "one_table_alone"
TEN_COLUMNS: list[dict[str, Any]] = [
    *COLUMNS,
    {"name": "City", "type": "text"},
    {"name": "Contact", "type": "text"},
    {"name": "Rating", "type": "number"},
    {"name": "Link", "type": "text"},
]
LATE = json.dumps({"column": "Salary", "op": "gt", "value": 100_000})
SEARCHED = "company 77"
TABLES_OF_A_USER = 10
TABLES_PER_STATEMENT = 100
MANY = 1_000
ROUNDS, REPEATS = 7, 5
MAX_RATIO = 1.3
EXPLAIN = "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON)"


def ten_cells(number: int) -> dict[str, Any]:
    """Return one row by column name."""
    more = {"City": f"City {number % 400}", "Contact": f"person{number}@example.org", "Rating": number % 6}
    return {**cells(number), **more, "Link": f"https://example.org/jobs/{number * 31 % 100_003}"}


def fill(template: Table, *, tables: int, rows: int, indexed: bool = False) -> None:
    """Add tables with its columns and its first rows, without services; `indexed` ones were read by each column."""
    users = User.objects.bulk_create(
        [
            User(username=f"user{number} {'with indexes' if indexed else ''}", password="!")
            for number in range(-(-tables // TABLES_OF_A_USER))
        ]
    )
    names = [each.column for each in Table._meta.concrete_fields if each.column not in ("id", "owner_id")]
    copied = ", ".join(names)
    cells_of_rows = "position, data, version, search_text, created_at, updated_at"
    began = time.monotonic()
    for start in range(0, tables, TABLES_PER_STATEMENT):
        owners = [users[number // TABLES_OF_A_USER].pk for number in range(start, min(start + 100, tables))]
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO tables_table (owner_id, {copied}) SELECT owner.id, {copied}"
                " FROM unnest(%s::bigint[]) AS owner(id), tables_table AS t WHERE t.id = %s RETURNING id",
                [owners, template.pk],
            )
            ids = [pk for (pk,) in cursor.fetchall()]
            cursor.execute(
                "INSERT INTO tables_column (id, table_id, name, type, required, options, filter_display, position)"
                " SELECT 'c' || t.id || '_' || c.position, t.id, name, type, required, options, filter_display,"
                " position FROM unnest(%s::bigint[]) AS t(id), tables_column AS c WHERE c.table_id = %s",
                [ids, template.pk],
            )
            cursor.execute(
                f"INSERT INTO tables_row (table_id, {cells_of_rows}) SELECT t.id, {cells_of_rows}"
                " FROM unnest(%s::bigint[]) AS t(id), tables_row AS r WHERE r.table_id = %s AND r.position < %s"
                " ORDER BY t.id, position",
                [ids, template.pk, rows],
            )
        Table.objects.filter(pk__in=ids).update(next_position=rows, counted_rows=rows)
        if indexed:
            columns = Column.objects.filter(table_id__in=ids).values_list("table_id", "pk")
            how = ColumnUse.How.ASCENDING
            ColumnUse.objects.bulk_create(
                ColumnUse(table_id=table, column_id=column, how=how, uses=1, used_at=timezone.now())
                for table, column in columns
            )
            ColumnUse.objects.bulk_create(
                ColumnUse(table_id=table, column_id="", how=ColumnUse.How.SEARCHED, uses=1, used_at=timezone.now())
                for table in ids
            )
        if start % 1_000 == 0:
            print(f"filled {start + len(ids):,} tables after {time.monotonic() - began:.0f} s", flush=True)


def switch(name: str) -> None:
    """Send further statements to this database of the same server, as with a new process."""
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # of Django's backend for PostgreSQL
    connection.settings_dict["NAME"] = name
    cache.clear()


def processor_seconds(server: int) -> float:
    """Return the time of the processor that this thread and this process of the server have used."""
    nanoseconds = Path(f"/proc/{server}/schedstat").read_text(encoding="ascii").split()[0]
    return time.thread_time() + int(nanoseconds) / 1e9


@dataclass
class Figure:
    """A request, its lowest seconds and the buffers of its statements by database. `make` is not measured."""

    name: str
    ask: Callable[[], Any]
    make: Callable[[], Any] = lambda: None
    best: dict[str, float] = field(default_factory=dict)
    processor: dict[str, float] = field(default_factory=dict)
    buffers: dict[str, int] = field(default_factory=dict)
    planning: dict[str, float] = field(default_factory=dict)

    def measure(self, database: str) -> None:
        """Send the request some times."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (server,) = cursor.fetchone()
        for number in range(REPEATS + 1):
            self.make()
            began, used = time.perf_counter(), processor_seconds(server)
            self.ask()
            took, used = time.perf_counter() - began, processor_seconds(server) - used
            # The first fills the caches of the connection.
            if number:
                self.best[database] = min(took, self.best.get(database, took))
                self.processor[database] = min(used, self.processor.get(database, used))

    def explain(self, database: str) -> None:
        """Sum the buffers and the planning time of the statements that read."""
        self.make()
        with CaptureQueriesContext(connection) as sent:
            self.ask()
        buffers, planning = 0, 0.0
        with connection.cursor() as cursor:
            for query in sent.captured_queries:
                if re.match(r"SELECT|WITH", query["sql"]) and "nextval" not in query["sql"]:
                    plans = []
                    for _ in range(5):
                        cursor.execute(f"{EXPLAIN} {query['sql']}")
                        plans.append(cursor.fetchone()[0][0])
                    root = plans[-1]["Plan"]
                    buffers += root["Shared Hit Blocks"] + root["Shared Read Blocks"]
                    planning += min(plan["Planning Time"] for plan in plans)
        self.buffers[database], self.planning[database] = buffers, planning

    def report(self, many: str) -> None:
        """Print the figures of both databases and their ratios."""
        ratio, of_processor = (each[many] / each[ALONE] for each in (self.best, self.processor))
        print(
            f"{self.name:42} {self.best[many] * 1e3:7.2f} ms, alone {self.best[ALONE] * 1e3:7.2f} ms:"
            f" {ratio:5.2f} × (target ≤ {MAX_RATIO}), of the processor {of_processor:5.2f} ×;"
            f" buffers {self.buffers[many]:,} and {self.buffers[ALONE]:,},"
            f" planning {self.planning[many]:.2f} and {self.planning[ALONE]:.2f} ms"
        )


class Requests:
    """The requests to measure, of one client and table."""

    def __init__(self, table: Table, client: Client, *, rows: int) -> None:
        self._client, self._table, self._rows = client, f"/api/tables/{table.pk}/", rows
        self._path = f"{self._table}rows/"
        self._page = f"/tables/{table.pk}/"
        first = json.loads(client.get(self._path, {"limit": MANY}).content)["rows"]
        self._ids = [row["id"] for row in first]
        # By database.
        self._added: dict[str, list[int]] = {}
        self._number = 0

    def figures(self) -> list[Figure]:
        """Return a figure for each request."""
        path = self._path
        requests: dict[str, Callable[[], Any]] = {
            "list of tables": self._get("/api/tables/"),
            "page of the table": self._get(self._page),
            "first 100": self._get(path, limit=100),
            "filter and sort by a number": self._get(path, limit=100, filter=LATE, sort="-Salary"),
            "sort by a text": self._get(path, limit=100, sort="Company"),
            "search": self._get(path, limit=100, search=SEARCHED),
            "100 at half of them": self._get(path, limit=100, offset=self._rows // 2),
            "exact count with a filter": self._get(path, limit=1, filter=LATE, count="exact"),
            "one row": self._get(f"{path}{self._ids[0]}/"),
            "add and delete 1": self._add_and_delete,
            "update 1,000": lambda: self._update(self._ids),
            "edit one cell": lambda: self._update(self._ids[:1]),
            "history": self._get(f"{self._table}changes/"),
            "delete and restore the table": self._trash,
        }
        figures = [
            *(Figure(name, ask) for name, ask in requests.items()),
            Figure("add 1,000", lambda: self._add(MANY), make=self._delete_added),
            Figure("delete 1,000", self._delete_added, make=self._add_many),
            Figure("undo of one cell", self._undo, make=lambda: self._update(self._ids[:1])),
            Figure("undo of 1,000 updates", self._undo, make=lambda: self._update(self._ids)),
            Figure("delete a table of 1,000 for good", self._purge, make=self._create),
        ]
        for figure in figures:
            figure.name = f"{self._rows:,} rows: {figure.name}"
        return figures

    def _get(self, address: str, **query: Any) -> Callable[[], Any]:
        def ask() -> None:
            response = self._client.get(address, query)
            assert response.status_code == 200, response.content[:300]

        return ask

    def _send(self, method: str, address: str, body: Any) -> Any:
        response = getattr(self._client, method)(address, body, content_type="application/json")
        assert response.status_code in (200, 201), response.content[:300]
        return response.json()

    def _new_rows(self, count: int) -> list[dict[str, Any]]:
        self._number += 1
        return [ten_cells(self._rows + self._number * MANY + each) for each in range(count)]

    def _add(self, count: int) -> None:
        added = self._send("post", self._path, {"rows": self._new_rows(count)})["rows"]
        self._added[connection.settings_dict["NAME"]] = [row["id"] for row in added]

    def _delete_added(self) -> None:
        if ids := self._added.pop(connection.settings_dict["NAME"], []):
            self._send("post", f"{self._path}delete/", {"ids": ids})

    def _add_many(self) -> None:
        self._delete_added()
        self._add(MANY)

    def _add_and_delete(self) -> None:
        self._add(1)
        self._delete_added()

    def _update(self, ids: list[int]) -> None:
        self._number += 1
        self._send("patch", self._path, {"rows": [{"id": pk, "data": {"Salary": self._number}} for pk in ids]})

    def _undo(self) -> None:
        newest = self._client.get(f"{self._table}changes/", {"limit": 1}).json()["changes"][0]["id"]
        self._send("post", f"{self._table}changes/{newest}/undo/", {})

    def _trash(self) -> None:
        self._send("delete", self._table, {})
        self._send("post", f"{self._table}restore/", {})

    def _create(self) -> None:
        new = {"name": "New", "columns": TEN_COLUMNS, "rows": self._new_rows(MANY)}
        table = self._send("post", "/api/tables/", new)
        Table.objects.filter(pk=table["id"]).update(deleted_at=timezone.now() - TRASH_RETENTION)

    def _purge(self) -> None:
        for _ in empty_trash(now=timezone.now()):
            pass


def vacuum() -> None:
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def clear(tables: list[Table]) -> None:
    """Delete what earlier requests have left behind, as cleanup and autovacuum do after a while."""
    for table in tables:
        Row.objects.filter(table_id=table.pk, deleted_at__isnull=False).delete()
        with connection.cursor() as cursor:
            cursor.execute(f"VACUUM {partition_of(table.pk)}")


def create_indexes(table: Table | None = None) -> None:
    """Create indexes as a worker does: those that were recorded, and those of the requests for this table."""
    if table is not None:
        shape = table_shape(table)
        late = parse_filter(json.loads(LATE), shape=shape, today=timezone.now().date())
        for sort, filter_, search in (("-Salary", late, ""), ("Company", None, ""), ("", None, SEARCHED)):
            keys = parse_sort(sort, shape=shape)
            record_column_use(table, sort=keys, filter=filter_, search=search)
        # More than the others of its partition have, which cannot all have an index.
        ColumnUse.objects.filter(table=table).update(uses=MANY)
    began = time.monotonic()
    created = len(update_cell_indexes().created)
    print(f"{created:,} indexes created in {time.monotonic() - began:.0f} s", flush=True)


def filled(options: argparse.Namespace) -> list[Table]:
    """Return the tables that are measured, in a database with the other tables; create what is missing."""
    settings.TABLES_PARTITIONS = options.partitions
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_database WHERE datname = %s)", [ALONE])
        if cursor.fetchone()[0]:
            return list(Table.objects.order_by("pk")[:2])
    table = seeded(prepare(), rows=LARGE, definitions=TEN_COLUMNS, row=ten_cells)
    small = seeded(table.owner, rows=options.rows, name="Small", definitions=TEN_COLUMNS, row=ten_cells)
    create_indexes(table)
    many = connection.settings_dict["NAME"]
    switch("template1")
    with connection.cursor() as cursor:
        cursor.execute(f'CREATE DATABASE {ALONE} TEMPLATE "{many}"')
    switch(ALONE)
    vacuum()
    switch(many)
    fill(table, tables=options.large, rows=LARGE, indexed=True)
    create_indexes()
    fill(table, tables=options.tables, rows=options.rows)
    vacuum()
    return [table, small]


def main() -> None:
    """Fill the database and print a line for each request."""
    parser = argparse.ArgumentParser()
    for name, number in (("tables", 9_930), ("rows", 1_000), ("large", 70), ("partitions", 16), ("rounds", ROUNDS)):
        parser.add_argument(f"--{name}", type=int, default=number)
    options = parser.parse_args()
    assert connection.vendor == "postgresql", "set TEST_DATABASE=postgres"
    tables = filled(options)
    many, client = connection.settings_dict["NAME"], Client(SERVER_NAME="localhost")
    cookies = {}
    for database in (many, ALONE):
        switch(database)
        client.cookies = SimpleCookie()
        client.force_login(tables[0].owner)
        cookies[database] = client.cookies
    sizes = zip(tables, (LARGE, options.rows), strict=True)
    measured = [figure for table, rows in sizes for figure in Requests(table, client, rows=rows).figures()]
    for number in range(options.rounds):
        for database in (many, ALONE):
            switch(database)
            clear(tables)
        for figure in measured:
            for database in (many, ALONE) if number % 2 else (ALONE, many):
                switch(database)
                client.cookies = cookies[database]
                figure.measure(database)
                if not number:
                    figure.explain(database)
    for figure in measured:
        figure.report(many)


if __name__ == "__main__":
    main()
