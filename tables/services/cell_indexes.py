"""Indexes on cells of large tables, for the columns most used to sort and filter.

Reading records which columns are used; `update_cell_indexes` creates and drops indexes, one at a time. On PostgreSQL
this does not block writers. On SQLite writers wait for one index at a time, at most about 0.25 s, and indexes that take
longer are created while nothing is changed. The list of existing indexes is the database's own, so it is correct after
a crash at any point.
"""
from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from django.db import OperationalError, connection, transaction
from django.utils import timezone

from shared.db.time_limits import is_locked
from tables.column_types import get_column_type
from tables.column_types.row_digest import folded_cells
from tables.models import Change, ColumnUse, Row, Table
from tables.operations.queries.filters import Filter
from tables.operations.queries.sorts import SortKey
from tables.selectors.rows.reading import count_rows
from tables.selectors.sql.cell_indexes import (
    ASCENDING,
    DESCENDING,
    LARGE,
    PREFIX,
    LiteralSqlite,
    can_be_literal,
    index_name,
    live_rows_of,
    sqlite_index_names,
)
from tables.selectors.sql.conditions import index_cell
from tables.selectors.sql.dialects import dialect
from tables.selectors.sql.expressions import Sql
from tables.selectors.sql.search_indexes import contained_texts
from tables.selectors.tables import table_shape
from tables.services.partitions import count_partitions, max_indexes, partition_of
from tables.services.search_indexes import (
    Report,
    is_behind,
    postgresql_indexes,
    update_postgresql_search_indexes,
    update_sqlite_search_indexes,
)

USE_DAYS = 30
# The key of an advisory lock, unique in this database.
LOCK = 7_340_129
RECORD_INTERVAL_SECONDS, CHECK_INTERVAL_SECONDS = 3_600.0, 60.0
MAX_RECORDED = 10_000
# SQLite: seconds that an index takes for a row of its table, for a character of a row, and for a row of other tables.
SECONDS_PER_ROW, SECONDS_PER_CHARACTER, SECONDS_PER_OTHER_ROW = 1.1e-6, 2.1e-9, 0.4e-6
# The number of rows at each end of a table whose cells are counted.
ROWS_AT_END = 500
# How long writers may wait for an index at any time, and while nothing is changed.
MAX_SECONDS_AT_ONCE, MAX_SECONDS_WHEN_IDLE = 0.25, 2.5
IDLE = timedelta(minutes=5)
# Pause between two transactions, because SQLite has one writer at a time, and waiting processes retry infrequently.
PAUSE_SECONDS = 0.2
ROWS_PER_FILL = 2_000
# Rows that ANALYZE reads of each index.
ANALYZED_ROWS = 1_000
# Settings of SQLite while it creates an index. Threads sort its entries while they are computed, in parts as large as
# the cache, which should fit into that of the processor. Mapping the file saves copying it.
CREATION_SETTINGS = {"threads": 2, "cache_size": -1_000, "mmap_size": 2_000_000_000}

Use = tuple[int, str, str]
# Time of the last recorded use in this process. Uses are recorded at most once an hour, so that reads remain fast.
_recorded: dict[Use, float] = {}
# Time of the last check of a search index in this process, by table.
_checked: dict[int, float] = {}


@dataclass(frozen=True)
class CellIndex:
    """A useful index, and the statements that create it."""

    name: str
    table: Table
    statements: list[Sql]
    is_folded: bool
    partition: str


def record_column_use(
    table: Table,
    *,
    sort: Sequence[SortKey] = (),
    filter: Filter | None = None,  # noqa: A002
    search: str = "",
) -> bool:
    """Record that a large table was read in this order, and with this filter and search.

    Return True if indexes should be updated: it is the first such use, or the first since old uses were deleted, or the
    search index lacks many rows. On SQLite a reader does not wait for writers: while the database is locked, nothing is
    recorded.
    """
    # Positions are never reused, so a table has at most as many rows as this.
    if table.next_position < LARGE:
        return False
    now = time.monotonic()
    uses = set(uses_of(table, sort=sort, filter=filter, search=search))
    new = [use for use in uses if use not in _recorded or now - _recorded[use] >= RECORD_INTERVAL_SECONDS]
    if not new:
        return _searched(table) in uses and _is_behind(table, now=now)
    if len(_recorded) + len(new) > MAX_RECORDED:
        _recorded.clear()
    first = False
    with skip_if_locked():
        first = _record(new)
        _recorded.update(dict.fromkeys(new, now))
    return first


def _is_behind(table: Table, *, now: float) -> bool:
    """Return whether the search index lacks many rows; checked once a minute."""
    if now - _checked.get(table.pk, -CHECK_INTERVAL_SECONDS) < CHECK_INTERVAL_SECONDS:
        return False
    if len(_checked) > MAX_RECORDED:
        _checked.clear()
    _checked[table.pk] = now
    return is_behind(table)


@contextmanager
def skip_if_locked() -> Iterator[None]:
    """Leave the block at the first statement for which SQLite is locked; PostgreSQL locks only the rows."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        (milliseconds,) = cursor.fetchone()
        cursor.execute("PRAGMA busy_timeout = 0")
        try:
            yield
        except OperationalError as error:
            if not is_locked(error):
                raise
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {milliseconds}")


def _record(uses: Sequence[Use]) -> bool:
    first = False
    with connection.cursor() as cursor:
        for use in sorted(uses):
            cursor.execute(
                "INSERT INTO tables_columnuse AS u (table_id, column_id, how, uses, used_at) VALUES (%s, %s, %s, 1, %s)"
                " ON CONFLICT (table_id, column_id, how) DO UPDATE SET uses = u.uses + 1, used_at = excluded.used_at"
                " RETURNING uses",
                [*use, timezone.now()],
            )
            first |= cursor.fetchone()[0] == 1
    return first


def update_cell_indexes(*, pause: Callable[[float], object] = time.sleep) -> Report:
    """Create the useful indexes and drop the others. Must not run inside a transaction on PostgreSQL."""
    report = Report()
    if connection.vendor == "sqlite":
        _update_sqlite(report, pause=pause)
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


def uses_of(
    table: Table,
    *,
    sort: Sequence[SortKey],
    filter: Filter | None,  # noqa: A002
    search: str = "",
) -> Iterator[Use]:
    """Yield the uses of columns that a view of the table is, and whether a search index helps."""
    # An index serves the first key of an order; the others only break ties.
    for key in sort[:1]:
        yield table.pk, key.column_id, ColumnUse.How.DESCENDING if key.descending else ColumnUse.How.ASCENDING
    for clause in filter.clauses if filter else ():
        for condition in clause.conditions:
            yield table.pk, condition.column_id, ColumnUse.How.FILTERED
    if contained_texts(filter, search=search):
        yield _searched(table)


def _searched(table: Table) -> Use:
    return table.pk, "", ColumnUse.How.SEARCHED


def _update(report: Report) -> None:
    wanted = {index.name: index for index in _useful_indexes()}
    existing = dict(_existing())
    for name, valid in existing.items():
        # An index whose creation was interrupted is unusable and slows writers down.
        if name not in wanted or not valid:
            _execute(Sql(f"DROP INDEX CONCURRENTLY IF EXISTS {connection.ops.quote_name(name)}"))
            _execute(Sql(f"DROP STATISTICS IF EXISTS {connection.ops.quote_name(_statistics_name(name))}"))
            report.dropped.append(name)
    for name, index in wanted.items():
        if existing.get(name):
            report.unchanged.append(name)
        else:
            for statement in index.statements:
                _execute(statement)
            report.created.append(name)
    for partition in sorted({wanted[name].partition for name in report.created}):
        _execute(Sql(f"ANALYZE {partition}"))
    update_postgresql_search_indexes(report)


def _update_sqlite(report: Report, *, pause: Callable[[float], object]) -> None:
    wanted = {index.name: index for index in _useful_indexes()}
    existing = set(sqlite_index_names())
    for name in sorted(existing - wanted.keys()):
        _execute(Sql(f"DROP INDEX IF EXISTS {connection.ops.quote_name(name)}"))
        report.dropped.append(name)
    for name, index in wanted.items():
        if name in existing:
            report.unchanged.append(name)
        elif not _can_create(index.table):
            report.postponed.append(name)
        else:
            if report.created:
                pause(PAUSE_SECONDS)
            create_sqlite_index(index, pause=pause)
            report.created.append(name)
    update_sqlite_search_indexes(report, pause=pause)


def _can_create(table: Table) -> bool:
    """Return whether writers can wait for an index now: it is created quickly, or nothing is being changed."""
    rows = count_rows(table)
    # Ids are never reused, and the whole file is read.
    last = Row.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    seconds = rows * (SECONDS_PER_ROW + _characters_per_row(table) * SECONDS_PER_CHARACTER)
    seconds += max(0, last - rows) * SECONDS_PER_OTHER_ROW
    is_idle = not Change.objects.filter(created_at__gt=timezone.now() - IDLE).exists()
    return seconds <= (MAX_SECONDS_WHEN_IDLE if is_idle else MAX_SECONDS_AT_ONCE)


def _characters_per_row(table: Table) -> float:
    """Return the average length of the cells of a row as JSON, from the first and last rows."""
    live, ends = live_rows_of(table, read=dialect()), ("position, id", "position DESC, id DESC")
    read = [
        f"SELECT * FROM (SELECT length(data) AS characters FROM tables_row WHERE {live.text} ORDER BY {order} LIMIT %s)"
        for order in ends
    ]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT avg(characters) FROM ({' UNION ALL '.join(read)})", [*live.params, ROWS_AT_END] * len(ends)
        )
        return float(cursor.fetchone()[0] or 0)


def create_sqlite_index(index: CellIndex, *, pause: Callable[[float], object] = time.sleep) -> None:
    """Compute the folded cells of earlier releases, then create the index and its statistics, in short transactions."""
    if index.is_folded:
        _fill_folded_cells(index.table, pause=pause)
    analysis = (Sql(f"PRAGMA analysis_limit = {ANALYZED_ROWS}"), Sql("ANALYZE tables_row"))
    with _settings_of_creation(), transaction.atomic():
        # Other connections read the statistics because the schema changes in the same transaction.
        for statement in (*index.statements, *analysis):
            _execute(statement)


@contextmanager
def _settings_of_creation() -> Iterator[None]:
    """Apply `CREATION_SETTINGS` to the connection, and restore them after the block."""
    before = {}
    with connection.cursor() as cursor:
        for name, value in CREATION_SETTINGS.items():
            cursor.execute(f"PRAGMA {name}")
            (before[name],) = cursor.fetchone() or (None,)
            cursor.execute(f"PRAGMA {name} = {value}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            for name, value in before.items():
                if value is not None:
                    cursor.execute(f"PRAGMA {name} = {value}")


def _fill_folded_cells(table: Table, *, pause: Callable[[float], object]) -> None:
    """Compute the folded cells of all rows that have none, also of deleted ones. Their cells do not change."""
    read = (
        "SELECT data, id FROM tables_row WHERE table_id = %s AND id > %s AND folded_cells IS NULL ORDER BY id LIMIT %s"
    )
    write, last = "UPDATE tables_row SET folded_cells = %s WHERE id = %s AND folded_cells IS NULL", 0
    with connection.cursor() as cursor:
        while True:
            cursor.execute(read, [table.pk, last, ROWS_PER_FILL])
            rows = [(folded_cells(data), pk) for data, pk in cursor.fetchall()]
            if not rows:
                return
            with transaction.atomic():
                cursor.executemany(write, rows)
            last = rows[-1][1]
            pause(PAUSE_SECONDS)


def _useful_indexes() -> Iterator[CellIndex]:
    """Yield each useful index, most used first, until its partition has enough."""
    ColumnUse.objects.filter(used_at__lt=timezone.now() - timedelta(days=USE_DAYS)).delete()
    columns = ColumnUse.objects.exclude(how=ColumnUse.How.SEARCHED)
    uses = columns.filter(table__deleted_at__isnull=True).order_by("-uses", "-used_at", "pk")
    partitions: dict[int, str | None] = {}
    names: dict[str, set[str]] = {}
    limit = max_indexes()
    for use in uses.select_related("table")[: limit * 10 * count_partitions()]:
        if use.table_id not in partitions:
            partitions[use.table_id] = partition_of(use.table_id) if count_rows(use.table) >= LARGE else None
        partition = partitions[use.table_id]
        if partition is None or len(names.setdefault(partition, set())) == limit:
            continue
        found = index_of(use, partition=partition)
        if found is not None and found.name not in names[partition]:
            names[partition].add(found.name)
            yield found


def index_of(use: ColumnUse, *, partition: str) -> CellIndex | None:
    """Return the index for a use; None for a removed or computed column, or one that cannot have an index.

    Another type or other options make it another index.
    """
    column = table_shape(use.table).column(use.column_id)
    if column is None or column.id != use.column_id or column.is_computed:
        return None
    is_sqlite = connection.vendor == "sqlite"
    if is_sqlite and not can_be_literal(column):
        return None
    read = LiteralSqlite() if is_sqlite else dialect()
    cell = index_cell(column, sorted_by=use.how != ColumnUse.How.FILTERED, read=read)
    if cell is None:
        return None
    if is_sqlite:
        # SQLite reads an index in both directions, with empty cells last, and then sorts equal cells only; a second
        # index for descending order would make writing slower. The planner prefers another index to one without
        # `table_id`.
        name = index_name(column.id, cell, order=ASCENDING)
        text = (
            f"CREATE INDEX IF NOT EXISTS {connection.ops.quote_name(name)} ON tables_row"
            f" (table_id, ({cell.text}), position, id)"
            f" WHERE table_id = {int(use.table_id)} AND deleted_at IS NULL"
        )
        is_folded = get_column_type(column.type).comparison == "folded"
        return CellIndex(name, use.table, [Sql(text)], is_folded=is_folded, partition=partition)
    order = DESCENDING if use.how == ColumnUse.How.DESCENDING else ASCENDING
    name = index_name(column.id, cell, order=order)
    # Column ids and options are parameters here too; psycopg inlines them as literals.
    expression = cell.text.replace(f"{connection.ops.quote_name(Row._meta.db_table)}.", "")
    has_elements = get_column_type(column.type).has_lists and use.how == ColumnUse.How.FILTERED
    entries = f"USING gin (({expression}))" if has_elements else f"(({expression}) {order}, position, id)"
    text = (
        f"CREATE INDEX CONCURRENTLY {connection.ops.quote_name(name)} ON {partition}"
        f" {entries} WHERE table_id = %s AND deleted_at IS NULL"
    )
    # The planner ignores statistics of partial indexes. Without these it assumes that every range matches a third of
    # the table, and does not use the index.
    quoted = connection.ops.quote_name(_statistics_name(name))
    statistics = f"CREATE STATISTICS IF NOT EXISTS {quoted} ON ({expression}) FROM {partition}"
    statements = [Sql(text, (*cell.params, use.table_id)), Sql(statistics, cell.params)]
    return CellIndex(name, use.table, statements, is_folded=False, partition=partition)


def _statistics_name(index: str) -> str:
    return f"{index}_figures"


def _existing() -> list[tuple[str, bool]]:
    """Return the names of the indexes that exist, and whether they are complete."""
    if connection.vendor == "sqlite":
        return [(name, True) for name in sqlite_index_names()]
    return postgresql_indexes(PREFIX)


def _execute(statement: Sql) -> None:
    with connection.cursor() as cursor:
        # Literals in statements for SQLite have doubled percent signs, which only statements with parameters have.
        cursor.execute(statement.text, statement.params or (() if connection.vendor == "sqlite" else None))
