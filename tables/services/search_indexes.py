"""Search indexes of large tables that were searched: created, continued with changed and later rows, and dropped.

On SQLite each step is a short transaction. An index may be used while it is incomplete, because readers test the rows
that it does not have; there are too many of them until it is almost complete.
"""
from __future__ import annotations

import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from sqlite3 import sqlite_version_info
from typing import Any

from django.db import DatabaseError, OperationalError, connection, transaction
from django.utils import timezone

from tables.models import ColumnUse, Row, Table
from tables.selectors.rows.reading import count_rows
from tables.selectors.sql.cell_indexes import LARGE
from tables.selectors.sql.search_indexes import (
    PREFIX,
    changed_name,
    index_name,
    is_indexed,
    progress_name,
    trigger_name,
    unindexed_rows,
)
from tables.services.partitions import count_partitions, max_indexes, partition_of

logger = logging.getLogger(__name__)

USE_DAYS = 30
# Writers wait for one step, about 0.03 s.
ROWS_PER_STEP = 1_000
PAUSE_SECONDS = 0.1
# A search that reads more rows than this without the index starts an update.
MAX_BEHIND = 1_000
ROWS = Row._meta.db_table


@dataclass
class Report:
    """Names of indexes that were created, dropped, left unchanged, or postponed until nothing is changed."""

    created: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    postponed: list[str] = field(default_factory=list)


def searched_tables() -> dict[Table, str]:
    """Return the large tables that should have a search index, most searched first, with their partitions."""
    since = timezone.now() - timedelta(days=USE_DAYS)
    uses = ColumnUse.objects.filter(how=ColumnUse.How.SEARCHED, used_at__gte=since, table__deleted_at__isnull=True)
    uses = uses.select_related("table").order_by("-uses", "-used_at", "pk")
    found: dict[Table, str] = {}
    counts = Counter[str]()
    limit = max_indexes()
    for use in uses[: limit * 2 * count_partitions()]:
        partition = partition_of(use.table_id) if count_rows(use.table) >= LARGE else None
        if partition and counts[partition] < limit:
            found[use.table] = partition
            counts[partition] += 1
    return found


def is_behind(table: Table) -> bool:
    """Return whether a search of the table reads many rows that its index does not have."""
    if connection.vendor != "sqlite" or not is_indexed(table.pk):
        return False
    return any(len(ids) > MAX_BEHIND for ids in unindexed_rows(table.pk, limit=MAX_BEHIND + 1))


def update_sqlite_search_indexes(report: Report, *, pause: Callable[[float], object] = time.sleep) -> None:
    """Create and continue the useful indexes, and drop the others."""
    wanted = [table.pk for table in searched_tables()] if _has_trigrams() else []
    for table_id in list(_existing()):
        # A migration that copies the rows to a new table deletes the trigger. Changes since then are not listed.
        if table_id not in wanted or not is_indexed(table_id) or _is_worn(table_id):
            drop_search_index(table_id)
            report.dropped.append(index_name(table_id))
    for table_id in wanted:
        is_new = create_search_index(table_id)
        (report.created if is_new else report.unchanged).append(index_name(table_id))
        try:
            for _ in index_rows(table_id):
                pause(PAUSE_SECONDS)
        except OperationalError:
            # Dropped meanwhile, because rows were purged.
            if is_indexed(table_id):
                raise


def update_postgresql_search_indexes(report: Report) -> None:
    """Create the useful indexes without blocking writers, and drop the others. Must not run inside a transaction."""
    wanted = {index_name(table.pk): partition for table, partition in searched_tables().items()}
    existing = dict(postgresql_indexes(PREFIX))
    for name, valid in existing.items():
        if name not in wanted or not valid:
            _run(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            report.dropped.append(name)
    new = [name for name in wanted if not existing.get(name)]
    report.unchanged += [name for name in wanted if existing.get(name)]
    schema = _extension_schema() if new else None
    if schema:
        for name in new:
            _run(
                f"CREATE INDEX CONCURRENTLY {name} ON {wanted[name]} USING gin (search_text {schema}.gin_trgm_ops)"
                f" WHERE table_id = {int(name.removeprefix(PREFIX))} AND deleted_at IS NULL"
            )
            report.created.append(name)


def postgresql_indexes(prefix: str) -> list[tuple[str, bool]]:
    """Return the names of the indexes of all partitions that begin with a prefix, and whether they are complete."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
            " WHERE (i.indrelid = 'tables_row'::regclass OR i.indrelid IN (SELECT inhrelid FROM pg_inherits"
            " WHERE inhparent = 'tables_row'::regclass)) AND starts_with(c.relname, %s)",
            [prefix],
        )
        return list(cursor.fetchall())


def _extension_schema() -> str | None:
    """Return the schema of `pg_trgm`, which is created if the server has it and the role may; None without it.

    An administrator may have created it in a schema outside of the search path.
    """
    try:
        _run("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    except DatabaseError as error:
        logger.warning("no search indexes without the extension pg_trgm: %s", error)
        return None
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT quote_ident(nspname) FROM pg_namespace JOIN pg_extension ON extnamespace = pg_namespace.oid"
            " WHERE extname = 'pg_trgm'"
        )
        return str(cursor.fetchone()[0])


def create_search_index(table_id: int) -> bool:
    """Create an index without rows. Return False if the table has one."""
    name, progress, changed = index_name(table_id), progress_name(table_id), changed_name(table_id)
    statements = (
        # The searchable texts are case-folded, and the ids of rows are enough.
        f"CREATE VIRTUAL TABLE {name} USING fts5"
        " (text, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1')",
        f"CREATE TABLE {progress} (last_row_id INTEGER NOT NULL, indexed_again INTEGER NOT NULL)",
        f"INSERT INTO {progress} VALUES (0, 0)",
        f"CREATE TABLE {changed} (row_id INTEGER PRIMARY KEY)",
        f"CREATE TRIGGER {trigger_name(table_id)} AFTER UPDATE OF search_text ON {ROWS}"
        f" WHEN new.table_id = {table_id:d} AND new.search_text IS NOT old.search_text"
        f" BEGIN INSERT OR IGNORE INTO {changed} VALUES (new.id); END",
    )
    with transaction.atomic():
        if is_indexed(table_id):
            return False
        _execute(*statements)
    return True


def drop_search_index(table_id: int) -> None:
    """Drop an index, of which a part may be missing."""
    _execute(
        f"DROP TRIGGER IF EXISTS {trigger_name(table_id)}",
        *(f"DROP TABLE IF EXISTS {read(table_id)}" for read in (index_name, progress_name, changed_name)),
    )


def forget_purged_rows(table_id: int) -> None:
    """Drop the index on SQLite, because parts of texts cannot be removed from it; a worker creates it again.

    PostgreSQL removes deleted rows from its indexes by VACUUM. Must run in the transaction that deletes the rows.
    """
    if connection.vendor == "sqlite" and table_id in _existing():
        drop_search_index(table_id)


def index_rows(table_id: int) -> Iterator[int]:
    """Add the rows that the index does not have. Yield their number after each short transaction.

    Rows that are changed during the last step remain for the next update, because a table may change without pause.
    """
    is_complete = False
    while not is_complete:
        # Rows are found outside of the transaction. Ids grow with each insert, so no row can be missed.
        changed, later = unindexed_rows(table_id, limit=ROWS_PER_STEP)
        if not changed and not later:
            return
        is_complete = len(changed) < ROWS_PER_STEP and len(later) < ROWS_PER_STEP
        with transaction.atomic():
            for ids in (changed, later):
                _execute(
                    f"INSERT INTO {index_name(table_id)} (rowid, text) SELECT id, search_text FROM {ROWS}"
                    " WHERE id IN (SELECT value FROM json_each(%s)) AND table_id = %s",
                    params=(json.dumps(ids), table_id),
                )
            _execute(
                f"DELETE FROM {changed_name(table_id)} WHERE row_id IN (SELECT value FROM json_each(%s))",
                params=(json.dumps(changed),),
            )
            _execute(
                f"UPDATE {progress_name(table_id)} SET indexed_again = indexed_again + %s,"
                " last_row_id = max(last_row_id, %s)",
                params=(len(changed), max(later, default=0)),
            )
        yield len(changed) + len(later)


def _existing() -> Iterator[int]:
    """Yield the ids of the tables that have an index, or a part of one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT CAST(substr(name, %s) AS INTEGER) FROM sqlite_master"
            " WHERE type = 'table' AND name GLOB %s ORDER BY 1",
            [len(PREFIX) + 1, f"{PREFIX}[0-9]*"],
        )
        yield from [table_id for (table_id,) in cursor.fetchall()]


def _is_worn(table_id: int) -> bool:
    """Return whether the index has many parts of earlier texts, which it finds in vain."""
    rows = Row.objects.filter(table_id=table_id)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT indexed_again FROM {progress_name(table_id)}")
        return bool(cursor.fetchone()[0] > max(rows.count(), LARGE))


def _has_trigrams() -> bool:
    """Return whether SQLite has FTS5, and at least the version with trigrams."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pragma_compile_options WHERE compile_options = 'ENABLE_FTS5'")
        return bool(cursor.fetchone()[0]) and sqlite_version_info >= (3, 34)


def _run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _execute(*statements: str, params: tuple[Any, ...] = ()) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement, params or None)
