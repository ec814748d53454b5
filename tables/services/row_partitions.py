"""Partitions of the rows by their table, on PostgreSQL: creation, and the move of the rows of an earlier release.

New installations are partitioned by their migrations. Otherwise `tables_row` is one relation until
`manage.py partition_rows` has replaced it; all statements work with both. Meanwhile the rows are copied to
`tables_row_new` in order of id, and triggers list the rows that are written, which are then copied again. So readers
and writers wait only while the relations are exchanged, and an interrupted move continues where it stopped.
"""
from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.backends.utils import CursorWrapper
from psycopg.errors import DeadlockDetected, LockNotAvailable

from tables.models import Row

ROWS = Row._meta.db_table
NEW, OLD, PROGRESS, WRITTEN = f"{ROWS}_new", f"{ROWS}_old", f"{ROWS}_progress", f"{ROWS}_written"
# Rows per transaction, about 0.3 s.
BATCH = 10_000
# So many rows that were written meanwhile are copied while the relations are exchanged, and writers wait.
MAX_LAST_WRITTEN = 1_000
# How long other transactions wait behind the move while it waits for a lock, and the pause before the next attempt.
LOCK_SECONDS, PAUSE_SECONDS = 2, 5.0
# Processes may have taken ids that are not stored yet when the relations are exchanged.
RESERVED_IDS = 1_000_000
# The key of an advisory lock, unique in this database.
LOCK = 7_340_130
# Names of indexes that workers create.
OF_WORKERS = ("cells_", "search_")


@dataclass(frozen=True)
class Progress:
    """The step of a move: "copy" (so many of the rows), "repeat" (rows written meanwhile), "wait" (for a lock).

    "busy" is the only step while another process moves the rows. `of` is the number of rows that this run copies.
    """

    step: str
    rows: int = 0
    of: int = 0


def is_partitioned() -> bool:
    """Return whether the rows are partitioned, or do not need to be because the database is not PostgreSQL."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT relkind FROM pg_class WHERE oid = to_regclass(%s)", [ROWS])
        return cursor.fetchone() in (("p",), None)


def partition_of(table_id: int) -> str | None:
    """Return the relation that has the rows of a table. None if it has no rows."""
    if connection.vendor != "postgresql":
        return ROWS
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT tableoid::regclass::text FROM {ROWS} WHERE table_id = %s LIMIT 1", [table_id])
        row = cursor.fetchone()
        return row and row[0]


def count_partitions() -> int:
    """Return the number of relations with rows."""
    if connection.vendor != "postgresql":
        return 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass(%s)", [ROWS])
        return int(cursor.fetchone()[0]) or 1


def partition_empty(cursor: CursorWrapper) -> bool:
    """Partition the rows if there are none, and return whether it was done. Must run in a transaction."""
    # Without the lock first, because readers and writers wait for it.
    for statement in ("SELECT", f"LOCK TABLE {ROWS} IN ACCESS EXCLUSIVE MODE"):
        cursor.execute(statement)
        cursor.execute(f"SELECT EXISTS (SELECT FROM {ROWS})")
        if cursor.fetchone()[0]:
            return False
    _create(cursor)
    _exchange(cursor)
    _clean_up(cursor)
    return True


def move_rows(*, batch: int = BATCH, pause: Callable[[float], object] = time.sleep) -> Iterator[Progress]:
    """Move the rows to partitions, in short transactions. Continues an interrupted move. Yields after each step.

    `batch` is the number of rows in a transaction.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
        if not cursor.fetchone()[0]:
            yield Progress("busy")
            return
        try:
            if not is_partitioned():
                yield from _move(batch=batch, pause=pause)
            yield from _retried(_finish, pause=pause)
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


def _move(*, batch: int, pause: Callable[[float], object]) -> Iterator[Progress]:
    yield from _retried(_begin, pause=pause)
    done, total = 0, _count_left()
    while copied := _copy_batch(batch):
        done += copied
        yield Progress("copy", done, max(done, total))
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {NEW}")
    yield from _retried(_end, pause=pause)


def _retried(work: Callable[[], int | None], *, pause: Callable[[float], object]) -> Iterator[Progress]:
    """Repeat the work until it returns None, also when it has to wait too long for a lock."""
    while True:
        try:
            with transaction.atomic():
                rows = work()
        except OperationalError as error:
            if not isinstance(error.__cause__, LockNotAvailable | DeadlockDetected):
                raise
            yield Progress("wait")
            pause(PAUSE_SECONDS)
        else:
            if rows is None:
                return
            yield Progress("repeat", rows)


def _begin() -> None:
    """Create the partitions and the triggers, unless an earlier run has. After a migration, begin anew."""
    with connection.cursor() as cursor:
        _limit_waiting(cursor)
        cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [PROGRESS])
        if cursor.fetchone()[0]:
            if _shape(cursor, ROWS) == _shape(cursor, NEW):
                return
            _drop(cursor)
        _create(cursor)
        cursor.execute(f"CREATE TABLE {PROGRESS} (copied_to bigint NOT NULL)")
        cursor.execute(f"INSERT INTO {PROGRESS} VALUES (0)")
        cursor.execute(
            f"CREATE TABLE {WRITTEN}"
            " (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, table_id bigint NOT NULL,"
            " row_id bigint NOT NULL)"
        )
        cursor.execute(
            f"CREATE FUNCTION {WRITTEN}() RETURNS trigger LANGUAGE plpgsql AS"
            f" $$ BEGIN INSERT INTO {WRITTEN} (table_id, row_id) SELECT table_id, id FROM written; RETURN NULL; END $$"
        )
        # Waits for transactions that have written rows without the triggers.
        cursor.execute(f"LOCK TABLE {ROWS} IN SHARE ROW EXCLUSIVE MODE")
        for event, state in (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")):
            cursor.execute(
                f"CREATE TRIGGER {WRITTEN}_{event.lower()} AFTER {event} ON {ROWS}"
                f" REFERENCING {state} TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION {WRITTEN}()"
            )


def _copy_batch(size: int) -> int:
    """Copy the next rows, and return their number."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SELECT copied_to FROM {PROGRESS} FOR UPDATE")
        (copied_to,) = cursor.fetchone()
        cursor.execute(
            f"SELECT max(id), count(*) FROM (SELECT id FROM {ROWS} WHERE id > %s ORDER BY id LIMIT %s) AS following",
            [copied_to, size],
        )
        last, count = cursor.fetchone()
        if count:
            cursor.execute(
                f"INSERT INTO {NEW} SELECT * FROM {ROWS} WHERE id > %s AND id <= %s ON CONFLICT DO NOTHING",
                [copied_to, last],
            )
            cursor.execute(f"UPDATE {PROGRESS} SET copied_to = %s", [last])
        return int(count)


def _copy_written(cursor: CursorWrapper) -> int:
    """Copy rows again that were written since they were copied, and return their number."""
    cursor.execute(
        f"DELETE FROM {WRITTEN} WHERE number IN (SELECT number FROM {WRITTEN} ORDER BY number LIMIT %s)"
        " RETURNING table_id, row_id",
        [BATCH],
    )
    written = cursor.fetchall()
    if written:
        keys = [sorted({key[number] for key in written}) for number in (0, 1)]
        condition = "table_id = ANY(%s::bigint[]) AND id = ANY(%s::bigint[])"
        cursor.execute(f"DELETE FROM {NEW} WHERE {condition}", keys)
        cursor.execute(f"INSERT INTO {NEW} SELECT * FROM {ROWS} WHERE {condition}", keys)
    return len(written)


def _end() -> int | None:
    """Copy rows that were written meanwhile; exchange the relations once they are few, and return None."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM (SELECT FROM {WRITTEN} LIMIT %s) AS written", [MAX_LAST_WRITTEN])
        if cursor.fetchone()[0] == MAX_LAST_WRITTEN:
            return _copy_written(cursor)
        _limit_waiting(cursor)
        cursor.execute(f"LOCK TABLE {ROWS} IN ACCESS EXCLUSIVE MODE")
        while _copy_written(cursor):
            pass
        _exchange(cursor)
        return None


def _finish() -> None:
    """Drop the former relation and what the move has created, if the relations have been exchanged."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [OLD])
        if cursor.fetchone()[0]:
            _limit_waiting(cursor)
            _clean_up(cursor)


def _create(cursor: CursorWrapper) -> None:
    """Create the partitioned relation with the columns and indexes of the present one, but no identity."""
    quoted = connection.ops.quote_name
    cursor.execute(
        f"CREATE TABLE {NEW} (LIKE {ROWS} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE"
        " INCLUDING COMPRESSION INCLUDING COMMENTS) PARTITION BY HASH (table_id)"
    )
    count = settings.TABLES_PARTITIONS
    for number in range(count):
        cursor.execute(
            f"CREATE TABLE {ROWS}_p{number} PARTITION OF {NEW} FOR VALUES WITH (MODULUS {count}, REMAINDER {number})"
        )
    cursor.execute(f"ALTER TABLE {NEW} ADD CONSTRAINT {NEW}_pkey PRIMARY KEY (table_id, id)")
    for name, definition in _indexes(cursor):
        _, _, method = definition.partition(" USING ")
        cursor.execute(f"CREATE INDEX {quoted(_new_name(name))} ON {NEW} USING {method}")


def _exchange(cursor: CursorWrapper) -> None:
    """Replace the present relation, which is locked, by the partitioned one.

    The present one is not dropped, because that locks its sequence, of which a transaction may have taken an id before
    it waits for the relation.
    """
    cursor.execute("SELECT pg_sequence_last_value(pg_get_serial_sequence(%s, 'id')::regclass)", [ROWS])
    (last_id,) = cursor.fetchone()
    cursor.execute(f"ALTER TABLE {ROWS} RENAME TO {OLD}")
    cursor.execute(f"ALTER TABLE {NEW} RENAME TO {ROWS}")
    # An empty relation has had no ids.
    first = 1 if last_id is None else last_id + RESERVED_IDS
    cursor.execute(f"ALTER TABLE {ROWS} ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (START {first:d})")


def _clean_up(cursor: CursorWrapper) -> None:
    """Drop the former relation, and give its names to the indexes and the sequence of the partitioned one."""
    names, quoted = [name for name, _ in _indexes(cursor, OLD)], connection.ops.quote_name
    cursor.execute("SELECT pg_get_serial_sequence(%s, 'id'), pg_get_serial_sequence(%s, 'id')", [OLD, ROWS])
    former, sequence = cursor.fetchone()
    cursor.execute(f"DROP TABLE {OLD}")
    _drop(cursor)
    cursor.execute(f"ALTER SEQUENCE {sequence} RENAME TO {former.rpartition('.')[2]}")
    cursor.execute(f"ALTER INDEX {NEW}_pkey RENAME TO {ROWS}_pkey")
    for name in names:
        cursor.execute(f"ALTER INDEX {quoted(_new_name(name))} RENAME TO {quoted(name)}")


def _drop(cursor: CursorWrapper) -> None:
    """Drop what a move has created, if it exists."""
    cursor.execute(f"DROP FUNCTION IF EXISTS {WRITTEN}() CASCADE")
    cursor.execute(f"DROP TABLE IF EXISTS {NEW}, {PROGRESS}, {WRITTEN}")


def _indexes(cursor: CursorWrapper, relation: str = ROWS) -> list[tuple[str, str]]:
    """Return the names and definitions of the indexes to create.

    The primary key begins with the table, so the index on the table alone is not needed.
    """
    cursor.execute(
        "SELECT c.relname, pg_get_indexdef(i.indexrelid) FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid"
        " WHERE i.indrelid = to_regclass(%s) AND NOT i.indisprimary ORDER BY i.indexrelid",
        [relation],
    )
    return [
        (name, definition)
        for name, definition in cursor.fetchall()
        if not name.startswith(OF_WORKERS) and not definition.endswith("(table_id)")
    ]


def _new_name(index: str) -> str:
    return f"new_{index}"[:63]


def _shape(cursor: CursorWrapper, relation: str) -> tuple[Any, ...]:
    """Return the columns of a relation and the names that its indexes have or will have."""
    cursor.execute(
        "SELECT attname, atttypid, atttypmod FROM pg_attribute"
        " WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
        [relation],
    )
    columns = cursor.fetchall()
    names = [name for name, _ in _indexes(cursor, relation)]
    return columns, names if relation == NEW else [_new_name(name) for name in names]


def _limit_waiting(cursor: CursorWrapper) -> None:
    cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'")


def _count_left() -> int:
    """Return how many rows are left to copy."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {ROWS} WHERE id > (SELECT copied_to FROM {PROGRESS})")
        return int(cursor.fetchone()[0])
