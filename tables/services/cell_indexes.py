"""Indexes on cells of large tables (PostgreSQL): for the columns most used to sort and filter.

Reading records which columns are used; `update_cell_indexes` creates and drops indexes, one at a time and without
blocking writers.
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
from tables.operations.queries.filters import Filter
from tables.operations.queries.sorts import SortKey
from tables.selectors.rows.reading import count_rows
from tables.selectors.sql.conditions import index_cell
from tables.selectors.sql.dialects import Sql, dialect, row_column
from tables.selectors.tables import table_shape

LARGE = 10_000
MAX_INDEXES = 64
USE_DAYS = 30
PREFIX = "cells_"
# The key of an advisory lock, unique in this database.
LOCK = 7_340_129
RECORD_INTERVAL_SECONDS = 3_600.0
MAX_RECORDED = 10_000

Use = tuple[int, str, str]
# Time of the last recorded use in this process. Uses are recorded at most once an hour, so that reads remain fast.
_recorded: dict[Use, float] = {}


@dataclass
class Report:
    """Names of indexes that were created, dropped or left unchanged."""

    created: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)


def record_column_use(
    table: Table,
    *,
    sort: Sequence[SortKey] = (),
    filter: Filter | None = None,  # noqa: A002
) -> bool:
    """Record that a large table was read in this order and with this filter; does nothing on SQLite.

    Return True if it is the first such use, or the first since old uses were deleted.
    """
    # Positions are never reused, so a table has at most as many rows as this.
    if connection.vendor != "postgresql" or table.next_position < LARGE:
        return False
    now = time.monotonic()
    uses = set(_uses(table, sort=sort, filter=filter))
    new = [use for use in uses if use not in _recorded or now - _recorded[use] >= RECORD_INTERVAL_SECONDS]
    if not new:
        return False
    if len(_recorded) + len(new) > MAX_RECORDED:
        _recorded.clear()
    _recorded.update(dict.fromkeys(new, now))
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


def update_cell_indexes() -> Report:
    """Create the useful indexes and drop the others. Must not run inside a transaction."""
    report = Report()
    if connection.vendor != "postgresql":
        return report
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
        if not cursor.fetchone()[0]:
            return report
        try:
            _update(report)
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
    return report


def _uses(table: Table, *, sort: Sequence[SortKey], filter: Filter | None) -> Iterator[Use]:  # noqa: A002
    # An index serves the first key of an order; the others only break ties.
    for key in sort[:1]:
        yield table.pk, key.column_id, ColumnUse.How.DESCENDING if key.descending else ColumnUse.How.ASCENDING
    for clause in filter.clauses if filter else ():
        for condition in clause.conditions:
            yield table.pk, condition.column_id, ColumnUse.How.FILTERED


def _update(report: Report) -> None:
    wanted = dict(_useful_indexes())
    existing = dict(_existing())
    for name, valid in existing.items():
        # An index whose creation was interrupted is unusable and slows writers down.
        if name not in wanted or not valid:
            _execute(Sql(f"DROP INDEX CONCURRENTLY IF EXISTS {connection.ops.quote_name(name)}"))
            _execute(Sql(f"DROP STATISTICS IF EXISTS {connection.ops.quote_name(_statistics_name(name))}"))
            report.dropped.append(name)
    for name, statements in wanted.items():
        if existing.get(name):
            report.unchanged.append(name)
        else:
            for statement in statements:
                _execute(statement)
            report.created.append(name)
    if report.created:
        _execute(Sql("ANALYZE tables_row"))


def _useful_indexes() -> Iterator[tuple[str, list[Sql]]]:
    """Yield name and statements of each useful index: at most 64, most used first."""
    ColumnUse.objects.filter(used_at__lt=timezone.now() - timedelta(days=USE_DAYS)).delete()
    uses = ColumnUse.objects.filter(table__deleted_at__isnull=True).order_by("-uses", "-used_at", "pk")
    large: dict[int, bool] = {}
    names: set[str] = set()
    for use in uses.select_related("table")[: MAX_INDEXES * 10]:
        if use.table_id not in large:
            large[use.table_id] = count_rows(use.table) >= LARGE
        found = _index(use) if large[use.table_id] else None
        if found is not None and found[0] not in names:
            names.add(found[0])
            yield found
        if len(names) == MAX_INDEXES:
            return


def _index(use: ColumnUse) -> tuple[str, list[Sql]] | None:
    """Return name and statements of the index for a use.

    Another type or other options make it another index.
    """
    column = table_shape(use.table).column(use.column_id)
    if column is None or column.id != use.column_id:
        return None
    cell = index_cell(column, sorted_by=use.how != ColumnUse.How.FILTERED, read=dialect())
    order = "DESC NULLS LAST" if use.how == ColumnUse.How.DESCENDING else "ASC NULLS LAST"
    digest = zlib.crc32(repr((cell.text, cell.params, order)).encode())
    name = f"{PREFIX}{column.id}_{digest:08x}"
    table, deleted = row_column("table_id").text, row_column("deleted_at").text
    position, pk = (row_column(name).text.split(".")[1] for name in ("position", "id"))
    # Column ids and options are parameters here too; psycopg inlines them as literals.
    text = (
        f"CREATE INDEX CONCURRENTLY {connection.ops.quote_name(name)} ON tables_row"
        f" (({cell.text}) {order}, {position}, {pk}) WHERE {table} = %s AND {deleted} IS NULL"
    )
    # The planner ignores statistics of partial indexes. Without these it assumes that every range matches a third of
    # the table, and does not use the index.
    quoted = connection.ops.quote_name(_statistics_name(name))
    statistics = f"CREATE STATISTICS IF NOT EXISTS {quoted} ON ({cell.text}) FROM tables_row"
    return name, [Sql(text, (*cell.params, use.table_id)), Sql(statistics, cell.params)]


def _statistics_name(index: str) -> str:
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
