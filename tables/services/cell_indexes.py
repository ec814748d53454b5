"""Indexes on the cells of large tables (PostgreSQL): for the columns people sort and filter by, the least used dropped.

Reading notes which columns are used; `keep_indexes` makes and drops, one after the other and without blocking writers.
"""
from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from django.db import connection
from django.utils import timezone

from tables.models import ColumnUse, Table
from tables.operations.filters import Filter, SortKey
from tables.selectors.conditions import index_cell
from tables.selectors.dialects import Sql, dialect, row_column
from tables.selectors.rows import count_rows
from tables.selectors.tables import table_shape

LARGE = 10_000
MOST_INDEXES = 64
KEPT_DAYS = 30
PREFIX = "cells_"
# Any number, as long as nothing else in this database locks the same one.
LOCK = 7_340_129
NOTED_SECONDS = 3_600.0
MOST_NOTED = 10_000

Use = tuple[int, str, str]
# When this process last noted a use: one an hour says enough, and reading stays reading.
_noted: dict[Use, float] = {}


@dataclass
class Report:
    """Names of indexes: what was made, dropped and left as it is."""

    made: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def note_use(table: Table, *, sort: Sequence[SortKey] = (), filter: Filter | None = None) -> bool:  # noqa: A002  the word of every door
    """Remembers that a large table was read in this order and by this filter; costs nothing on SQLite.

    True when it has never been read like this, or not since uses were last cleared away.
    """
    # Positions are never used twice, so a table has at most as many rows as this.
    if connection.vendor != "postgresql" or table.next_position < LARGE:
        return False
    now = time.monotonic()
    uses = set(_uses(table, sort=sort, filter=filter))
    new = [use for use in uses if use not in _noted or now - _noted[use] >= NOTED_SECONDS]
    if not new:
        return False
    if len(_noted) + len(new) > MOST_NOTED:
        _noted.clear()
    _noted.update(dict.fromkeys(new, now))
    first = False
    with connection.cursor() as cursor:
        for use in sorted(new):
            cursor.execute(
                "INSERT INTO tables_columnuse AS u (table_id, column_id, how, uses, used_at) VALUES (%s, %s, %s, 1, %s)"
                " ON CONFLICT (table_id, column_id, how) DO UPDATE SET uses = u.uses + 1, used_at = excluded.used_at"
                " RETURNING uses",
                [*use, timezone.now()],
            )
            first |= cursor.fetchone()[0] == 1
    return first


def keep_indexes() -> Report:
    """Makes the indexes that are worth having and drops the others. Must not run inside a transaction."""
    report = Report()
    if connection.vendor != "postgresql":
        return report
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
        if not cursor.fetchone()[0]:
            return report
        try:
            _keep(report)
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
    return report


def _uses(table: Table, *, sort: Sequence[SortKey], filter: Filter | None) -> Iterator[Use]:  # noqa: A002  the word of every door
    # An index serves the first key of an order; the others only break its ties.
    for key in sort[:1]:
        yield table.pk, key.column_id, ColumnUse.How.DESCENDING if key.descending else ColumnUse.How.ASCENDING
    for clause in filter.clauses if filter else ():
        for condition in clause.conditions:
            yield table.pk, condition.column_id, ColumnUse.How.FILTERED


def _keep(report: Report) -> None:
    wanted = dict(_wanted())
    existing = dict(_existing())
    for name, valid in existing.items():
        # One whose making was broken off serves nobody and slows writers down.
        if name not in wanted or not valid:
            _execute(Sql(f"DROP INDEX CONCURRENTLY IF EXISTS {connection.ops.quote_name(name)}"))
            _execute(Sql(f"DROP STATISTICS IF EXISTS {connection.ops.quote_name(_figures(name))}"))
            report.dropped.append(name)
    for name, statements in wanted.items():
        if existing.get(name):
            report.kept.append(name)
        else:
            for statement in statements:
                _execute(statement)
            report.made.append(name)
    if report.made:
        _execute(Sql("ANALYZE tables_row"))


def _wanted() -> Iterator[tuple[str, list[Sql]]]:
    """Name and statements of each index worth having: at most 64, the most used first."""
    ColumnUse.objects.filter(used_at__lt=timezone.now() - timedelta(days=KEPT_DAYS)).delete()
    uses = ColumnUse.objects.filter(table__deleted_at__isnull=True).order_by("-uses", "-used_at", "pk")
    large: dict[int, bool] = {}
    names: set[str] = set()
    for use in uses.select_related("table")[: MOST_INDEXES * 10]:
        if use.table_id not in large:
            large[use.table_id] = count_rows(use.table) >= LARGE
        found = _index(use) if large[use.table_id] else None
        if found is not None and found[0] not in names:
            names.add(found[0])
            yield found
        if len(names) == MOST_INDEXES:
            return


def _index(use: ColumnUse) -> tuple[str, list[Sql]] | None:
    """The index a use asks for; another type or other options make it another one."""
    column = table_shape(use.table).column(use.column_id)
    if column is None or column.id != use.column_id:
        return None
    cell = index_cell(column, sorted_by=use.how != ColumnUse.How.FILTERED, read=dialect())
    order = "DESC NULLS LAST" if use.how == ColumnUse.How.DESCENDING else "ASC NULLS LAST"
    digest = zlib.crc32(repr((cell.text, cell.params, order)).encode())
    name = f"{PREFIX}{column.id}_{digest:08x}"
    table, deleted = row_column("table_id").text, row_column("deleted_at").text
    position, pk = (row_column(name).text.split(".")[1] for name in ("position", "id"))
    # Column ids and options are parameters even here; the client puts them in as literals.
    text = (
        f"CREATE INDEX CONCURRENTLY {connection.ops.quote_name(name)} ON tables_row"
        f" (({cell.text}) {order}, {position}, {pk}) WHERE {table} = %s AND {deleted} IS NULL"
    )
    # The planner takes no figures about values from partial indexes: without these it guesses that every range is a
    # third of the table, and passes the index by.
    quoted = connection.ops.quote_name(_figures(name))
    figures = f"CREATE STATISTICS IF NOT EXISTS {quoted} ON ({cell.text}) FROM tables_row"
    return name, [Sql(text, (*cell.params, use.table_id)), Sql(figures, cell.params)]


def _figures(index: str) -> str:
    return f"{index}_figures"


def _existing() -> Iterable[tuple[str, bool]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
            " WHERE i.indrelid = 'tables_row'::regclass AND starts_with(c.relname, %s)",
            [PREFIX],
        )
        return list(cursor.fetchall())


def _execute(statement: Sql) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement.text, statement.params or None)
