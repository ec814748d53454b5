"""Compare a table among many with the same table alone, on PostgreSQL; `python -m tests.bench.bench_many_tables`.

The table has 10,000 rows, and the indexes on cells and of texts that workers create for the requests. The others are
`--tables` (9,600) of `--rows` (600) rows with ten columns, and `--large` (425) like the first with an index on each
column, which together are about the 64 indexes that each of the `--partitions` (64) can have. The database alone is a
copy that is made before the other tables, so that both have the same table with the same ids. Requests run in this
process, alternating between the databases; the lowest time of each counts. Buffers are those that all statements of a
request read, as EXPLAIN ANALYZE counts them. With TEST_DATABASE_URL, a database that an earlier run has filled is
measured again.
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
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tables.models import Column, ColumnUse, Table
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.sorts import parse_sort
from tables.selectors import table_shape
from tables.selectors.sql.cell_indexes import LARGE
from tables.services import record_column_use, update_cell_indexes
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
        if start % 1_000 == 0:
            print(f"filled {start + len(ids):,} tables after {time.monotonic() - began:.0f} s", flush=True)


def switch(name: str) -> None:
    """Send further statements to this database of the same server, as with a new process."""
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # of Django's backend for PostgreSQL
    connection.settings_dict["NAME"] = name
    cache.clear()


@dataclass
class Figure:
    """A request, its lowest seconds and the buffers of its statements by database."""

    name: str
    ask: Callable[[], Any]
    best: dict[str, float] = field(default_factory=dict)
    buffers: dict[str, int] = field(default_factory=dict)
    planning: dict[str, float] = field(default_factory=dict)

    def measure(self, database: str) -> None:
        """Send the request some times."""
        for number in range(REPEATS + 1):
            began = time.perf_counter()
            self.ask()
            took = time.perf_counter() - began
            # The first fills the caches of the connection.
            if number:
                self.best[database] = min(took, self.best.get(database, took))

    def explain(self, database: str) -> None:
        """Sum the buffers and the planning time of the statements that read."""
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


class Requests:
    """The requests to measure, of one client and table."""

    def __init__(self, table: Table, client: Client, *, rows: int) -> None:
        self._client, self._table, self._rows = client, f"/api/tables/{table.pk}/", rows
        self._path = f"{self._table}rows/"
        self._page = f"/tables/{table.pk}/"
        self._first = json.loads(client.get(self._path, {"limit": 1}).content)["rows"][0]["id"]
        self._number = 0

    def figures(self) -> list[Figure]:
        """Return a figure for each request."""
        path = self._path
        return [
            Figure("list of tables", self._get("/api/tables/")),
            Figure("page of the table", self._get(self._page)),
            Figure("first 100 rows", self._get(path, limit=100)),
            Figure("filter and sort by a number", self._get(path, limit=100, filter=LATE, sort="-Salary")),
            Figure("sort by a text", self._get(path, limit=100, sort="Company")),
            Figure("search", self._get(path, limit=100, search=SEARCHED)),
            Figure("100 rows at half of them", self._get(path, limit=100, offset=self._rows // 2)),
            Figure("exact count with a filter", self._get(path, limit=1, filter=LATE, count="exact")),
            Figure("one row", self._get(f"{path}{self._first}/")),
            Figure("add and delete one row", lambda: self._add_and_delete(1)),
            Figure("add and delete 1,000 rows", lambda: self._add_and_delete(1_000)),
            Figure("update one row", self._update),
            Figure("update, history, undo", self._undo),
            Figure("history", self._get(f"{self._table}changes/")),
        ]

    def _get(self, address: str, **query: Any) -> Callable[[], Any]:
        def ask() -> None:
            response = self._client.get(address, query)
            assert response.status_code == 200, response.content[:300]

        return ask

    def _send(self, method: str, address: str, body: Any) -> Any:
        response = getattr(self._client, method)(address, body, content_type="application/json")
        assert response.status_code in (200, 201), response.content[:300]
        return response.json()

    def _add_and_delete(self, count: int) -> None:
        self._number += 1
        rows = [ten_cells(self._rows + self._number * 1_000 + each) for each in range(count)]
        added = self._send("post", self._path, {"rows": rows})["rows"]
        self._send("post", f"{self._path}delete/", {"ids": [row["id"] for row in added]})

    def _update(self) -> None:
        self._number += 1
        self._send("patch", self._path, {"rows": [{"id": self._first, "data": {"Salary": self._number}}]})

    def _undo(self) -> None:
        self._update()
        newest = self._client.get(f"{self._table}changes/", {"limit": 1}).json()["changes"][0]["id"]
        self._send("post", f"{self._table}changes/{newest}/undo/", {})


def vacuum() -> None:
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def create_indexes(table: Table | None = None) -> None:
    """Create indexes as a worker does: those that were recorded, and those of the requests for this table."""
    if table is not None:
        shape = table_shape(table)
        late = parse_filter(json.loads(LATE), shape=shape, today=timezone.now().date())
        for sort, filter_, search in (("-Salary", late, ""), ("Company", None, ""), ("", None, SEARCHED)):
            keys = parse_sort(sort, shape=shape)
            record_column_use(table, sort=keys, filter=filter_, search=search)
    began = time.monotonic()
    created = len(update_cell_indexes().created)
    print(f"{created:,} indexes created in {time.monotonic() - began:.0f} s", flush=True)


def filled(options: argparse.Namespace) -> Table:
    """Return the table that is measured, in a database with the other tables; create what is missing."""
    settings.TABLES_PARTITIONS = options.partitions
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_database WHERE datname = %s)", [ALONE])
        if cursor.fetchone()[0]:
            return Table.objects.order_by("pk")[0]
    table = seeded(prepare(), rows=LARGE, definitions=TEN_COLUMNS, row=ten_cells)
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
    return table


def main() -> None:
    """Fill the database and print a line for each request."""
    parser = argparse.ArgumentParser()
    for name, number in (("tables", 9_600), ("rows", 600), ("large", 425), ("partitions", 64), ("rounds", ROUNDS)):
        parser.add_argument(f"--{name}", type=int, default=number)
    options = parser.parse_args()
    assert connection.vendor == "postgresql", "set TEST_DATABASE=postgres"
    table = filled(options)
    many, client = connection.settings_dict["NAME"], Client(SERVER_NAME="localhost")
    cookies = {}
    for database in (many, ALONE):
        switch(database)
        client.cookies = SimpleCookie()
        client.force_login(table.owner)
        cookies[database] = client.cookies
    assert len(table_shape(table).columns) == len(TEN_COLUMNS)
    measured = Requests(table, client, rows=LARGE).figures()
    for number in range(options.rounds):
        for database in (many, ALONE) if number % 2 else (ALONE, many):
            switch(database)
            client.cookies = cookies[database]
            for figure in measured:
                figure.measure(database)
                if not number:
                    figure.explain(database)
    for figure in measured:
        ratio = figure.best[many] / figure.best[ALONE]
        print(
            f"{figure.name:30} {figure.best[many] * 1e3:7.2f} ms, alone {figure.best[ALONE] * 1e3:7.2f} ms:"
            f" {ratio:5.2f} × (target ≤ {MAX_RATIO});"
            f" buffers {figure.buffers[many]:,} and {figure.buffers[ALONE]:,},"
            f" planning {figure.planning[many]:.2f} and {figure.planning[ALONE]:.2f} ms"
        )


if __name__ == "__main__":
    main()
