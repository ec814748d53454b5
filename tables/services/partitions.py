"""Partitions of large relations by table, on PostgreSQL: creation, and the move of the rows of an earlier release.

New installations are partitioned by their migrations. Otherwise each of PARTITIONED is one relation until
`manage.py partition_rows` has replaced it; all statements work with both. Meanwhile the rows are copied (from
`tables_row` to `tables_row_new`) in order of id, and triggers list the rows that are written, which are then copied
again. So readers and writers wait only while the relations are exchanged, and an interrupted move continues where it
stopped.
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

from tables.models import ChangePiece, Row, StagedRows

ROWS, PIECES, STAGED = (model._meta.db_table for model in (Row, ChangePiece, StagedRows))
# With the number of rows per transaction, about 0.3 s. A piece has the cells of many rows.
PARTITIONED = {ROWS: 10_000, PIECES: 500, STAGED: 100}
# So many rows that were written meanwhile are copied while the relations are exchanged, and writers wait.
MAX_LAST_WRITTEN = 1_000
# How long other transactions wait behind the move while it waits for a lock, and the pause before the next attempt.
LOCK_SECONDS, PAUSE_SECONDS = 2, 5.0
# Processes may have taken ids that are not stored yet when the relations are exchanged.
RESERVED_IDS = 1_000_000
# The key of an advisory lock, unique in this database.
LOCK = 7_340_130
# How many indexes on cells, and how many search indexes, a relation with rows can have: as the only one, and as one of
# several partitions. Each of them makes the planning of every statement that reads the relation a few µs longer.
MAX_INDEXES, MAX_INDEXES_OF_PARTITION = 64, 32
# Names of indexes that workers create.
OF_WORKERS = ("cells_", "search_")


@dataclass(frozen=True)
class Progress:
    """The step of a move: "copy" (so many of the rows), "repeat" (rows written meanwhile), "wait" (for a lock).

    "busy" is the only step while another process moves the rows. `of` is the number of rows that this run copies from
    `relation`.
    """

    step: str
    rows: int = 0
    of: int = 0
    relation: str = ROWS


def unpartitioned() -> list[str]:
    """Return the relations that are not partitioned. None need to be if the database is not PostgreSQL."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT oid::regclass::text FROM pg_class WHERE oid = ANY(SELECT to_regclass(n) FROM unnest(%s::text[]) n)"
            " AND relkind <> 'p'",
            [list(PARTITIONED)],
        )
        found = {relation for (relation,) in cursor.fetchall()}
        return [relation for relation in PARTITIONED if relation in found]


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


def max_indexes() -> int:
    """Return how many indexes of each kind workers create in a relation with rows."""
    return MAX_INDEXES if count_partitions() == 1 else MAX_INDEXES_OF_PARTITION


def partition_empty(cursor: CursorWrapper, relation: str) -> bool:
    """Partition a relation if it has no rows, and return whether it was done. Must run in a transaction."""
    # Without the lock first, because readers and writers wait for it.
    for statement in ("SELECT", f"LOCK TABLE {relation} IN ACCESS EXCLUSIVE MODE"):
        cursor.execute(statement)
        cursor.execute(f"SELECT EXISTS (SELECT FROM {relation})")
        if cursor.fetchone()[0]:
            return False
    move = _Move(relation)
    move.create(cursor)
    move.exchange(cursor)
    move.clean_up(cursor)
    return True


def move_rows(*, batch: int | None = None, pause: Callable[[float], object] = time.sleep) -> Iterator[Progress]:
    """Move all rows to partitions, in short transactions. Continues an interrupted move. Yields after each step.

    `batch` is the number of rows in a transaction.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
        if not cursor.fetchone()[0]:
            yield Progress("busy")
            return
        try:
            for relation, rows in PARTITIONED.items():
                yield from _Move(relation, batch=batch or rows, pause=pause).steps()
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


class _Move:
    """The move of one relation, and the names of what it creates."""

    def __init__(
        self, relation: str, *, batch: int = 0, pause: Callable[[float], object] = time.sleep
    ) -> None:
        self.relation, self.batch, self.pause = relation, batch, pause
        self.new, self.old, self.progress, self.written = (
            f"{relation}_{name}" for name in ("new", "old", "progress", "written")
        )

    def steps(self) -> Iterator[Progress]:
        """Move the rows unless it has been done, and drop what is no longer needed."""
        if self.relation in unpartitioned():
            yield from self._retried(self._begin)
            done, total = 0, self._count_left()
            while copied := self._copy_batch():
                done += copied
                yield Progress("copy", done, max(done, total), self.relation)
            with connection.cursor() as cursor:
                cursor.execute(f"ANALYZE {self.new}")
            yield from self._retried(self._end)
        yield from self._retried(self._finish)

    def _retried(self, work: Callable[[], int | None]) -> Iterator[Progress]:
        """Repeat the work until it returns None, also when it has to wait too long for a lock."""
        while True:
            try:
                with transaction.atomic():
                    rows = work()
            except OperationalError as error:
                if not isinstance(error.__cause__, LockNotAvailable | DeadlockDetected):
                    raise
                yield Progress("wait", relation=self.relation)
                self.pause(PAUSE_SECONDS)
            else:
                if rows is None:
                    return
                yield Progress("repeat", rows, relation=self.relation)

    def _begin(self) -> None:
        """Create the partitions and the triggers, unless an earlier run has. After a migration, begin anew."""
        with connection.cursor() as cursor:
            _limit_waiting(cursor)
            cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [self.progress])
            if cursor.fetchone()[0]:
                if self._shape(cursor, self.relation) == self._shape(cursor, self.new):
                    return
                self._drop(cursor)
            self.create(cursor)
            cursor.execute(f"CREATE TABLE {self.progress} (copied_to bigint NOT NULL)")
            cursor.execute(f"INSERT INTO {self.progress} VALUES (0)")
            cursor.execute(
                f"CREATE TABLE {self.written}"
                " (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, table_id bigint NOT NULL,"
                " row_id bigint NOT NULL)"
            )
            cursor.execute(
                f"CREATE FUNCTION {self.written}() RETURNS trigger LANGUAGE plpgsql AS"
                f" $$ BEGIN INSERT INTO {self.written} (table_id, row_id) SELECT table_id, id FROM written;"
                " RETURN NULL; END $$"
            )
            # Waits for transactions that have written rows without the triggers.
            cursor.execute(f"LOCK TABLE {self.relation} IN SHARE ROW EXCLUSIVE MODE")
            for event, state in (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")):
                cursor.execute(
                    f"CREATE TRIGGER {self.written}_{event.lower()} AFTER {event} ON {self.relation}"
                    f" REFERENCING {state} TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION {self.written}()"
                )

    def _copy_batch(self) -> int:
        """Copy the next rows, and return their number."""
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SELECT copied_to FROM {self.progress} FOR UPDATE")
            (copied_to,) = cursor.fetchone()
            cursor.execute(
                "SELECT max(id), count(*) FROM"
                f" (SELECT id FROM {self.relation} WHERE id > %s ORDER BY id LIMIT %s) AS following",
                [copied_to, self.batch],
            )
            last, count = cursor.fetchone()
            if count:
                cursor.execute(
                    f"INSERT INTO {self.new} SELECT * FROM {self.relation} WHERE id > %s AND id <= %s"
                    " ON CONFLICT DO NOTHING",
                    [copied_to, last],
                )
                cursor.execute(f"UPDATE {self.progress} SET copied_to = %s", [last])
            return int(count)

    def _copy_written(self, cursor: CursorWrapper) -> int:
        """Copy rows again that were written since they were copied, and return their number."""
        cursor.execute(
            f"DELETE FROM {self.written} WHERE number IN (SELECT number FROM {self.written} ORDER BY number LIMIT %s)"
            " RETURNING table_id, row_id",
            [self.batch],
        )
        written = cursor.fetchall()
        if written:
            keys = [sorted({key[number] for key in written}) for number in (0, 1)]
            condition = "table_id = ANY(%s::bigint[]) AND id = ANY(%s::bigint[])"
            cursor.execute(f"DELETE FROM {self.new} WHERE {condition}", keys)
            cursor.execute(f"INSERT INTO {self.new} SELECT * FROM {self.relation} WHERE {condition}", keys)
        return len(written)

    def _end(self) -> int | None:
        """Copy rows that were written meanwhile; exchange the relations once they are few, and return None."""
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM (SELECT FROM {self.written} LIMIT %s) AS written", [MAX_LAST_WRITTEN])
            if cursor.fetchone()[0] == MAX_LAST_WRITTEN:
                return self._copy_written(cursor)
            _limit_waiting(cursor)
            cursor.execute(f"LOCK TABLE {self.relation} IN ACCESS EXCLUSIVE MODE")
            while self._copy_written(cursor):
                pass
            self.exchange(cursor)
            return None

    def _finish(self) -> None:
        """Drop the former relation and what the move has created, if the relations have been exchanged."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [self.old])
            if cursor.fetchone()[0]:
                _limit_waiting(cursor)
                self.clean_up(cursor)

    def create(self, cursor: CursorWrapper) -> None:
        """Create the partitioned relation with the columns and indexes of the present one, but no identity."""
        cursor.execute(
            f"CREATE TABLE {self.new} (LIKE {self.relation} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE"
            " INCLUDING COMPRESSION INCLUDING COMMENTS) PARTITION BY HASH (table_id)"
        )
        count = settings.TABLES_PARTITIONS
        for number in range(count):
            cursor.execute(
                f"CREATE TABLE {self.relation}_p{number} PARTITION OF {self.new}"
                f" FOR VALUES WITH (MODULUS {count}, REMAINDER {number})"
            )
        cursor.execute(f"ALTER TABLE {self.new} ADD CONSTRAINT {self.new}_pkey PRIMARY KEY (table_id, id)")
        for name, definition, constraint in _indexes(cursor, self.relation):
            if constraint:
                cursor.execute(f"ALTER TABLE {self.new} ADD CONSTRAINT {_new_name(name)} {constraint}")
            else:
                _, _, method = definition.partition(" USING ")
                cursor.execute(f"CREATE INDEX {_new_name(name)} ON {self.new} USING {method}")

    def exchange(self, cursor: CursorWrapper) -> None:
        """Replace the present relation, which is locked, by the partitioned one.

        The present one is not dropped, because that locks its sequence, of which a transaction may have taken an id
        before it waits for the relation.
        """
        cursor.execute("SELECT pg_sequence_last_value(pg_get_serial_sequence(%s, 'id')::regclass)", [self.relation])
        (last_id,) = cursor.fetchone()
        cursor.execute(f"ALTER TABLE {self.relation} RENAME TO {self.old}")
        cursor.execute(f"ALTER TABLE {self.new} RENAME TO {self.relation}")
        # An empty relation has had no ids.
        first = 1 if last_id is None else last_id + RESERVED_IDS
        cursor.execute(
            f"ALTER TABLE {self.relation} ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (START {first:d})"
        )

    def clean_up(self, cursor: CursorWrapper) -> None:
        """Drop the former relation, and give its names to the indexes and the sequence of the partitioned one."""
        names = [name for name, *_ in _indexes(cursor, self.old)]
        sequences = "SELECT pg_get_serial_sequence(%s, 'id'), pg_get_serial_sequence(%s, 'id')"
        cursor.execute(sequences, [self.old, self.relation])
        former, sequence = cursor.fetchone()
        cursor.execute(f"DROP TABLE {self.old}")
        # Of the migration that added the table to relations of earlier releases.
        cursor.execute(f"DROP FUNCTION IF EXISTS {self.relation}_table()")
        self._drop(cursor)
        cursor.execute(f"ALTER SEQUENCE {sequence} RENAME TO {former.rpartition('.')[2]}")
        cursor.execute(f"ALTER INDEX {self.new}_pkey RENAME TO {self.relation}_pkey")
        for name in names:
            cursor.execute(f"ALTER INDEX {_new_name(name)} RENAME TO {connection.ops.quote_name(name)}")

    def _drop(self, cursor: CursorWrapper) -> None:
        """Drop what a move has created, if it exists."""
        cursor.execute(f"DROP FUNCTION IF EXISTS {self.written}() CASCADE")
        cursor.execute(f"DROP TABLE IF EXISTS {self.new}, {self.progress}, {self.written}")

    def _shape(self, cursor: CursorWrapper, relation: str) -> tuple[Any, ...]:
        """Return the columns of a relation and the names that its indexes have or will have."""
        cursor.execute(
            "SELECT attname, atttypid, atttypmod FROM pg_attribute"
            " WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
            [relation],
        )
        columns = cursor.fetchall()
        names = [connection.ops.quote_name(name) for name, *_ in _indexes(cursor, relation)]
        return columns, names if relation == self.new else [_new_name(name[1:-1]) for name in names]

    def _count_left(self) -> int:
        """Return how many rows are left to copy."""
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT count(*) FROM {self.relation} WHERE id > (SELECT copied_to FROM {self.progress})"
            )
            return int(cursor.fetchone()[0])


def _indexes(cursor: CursorWrapper, relation: str) -> list[tuple[str, str, str | None]]:
    """Return the names and definitions of the indexes to create, and the constraint that an index belongs to, if any.

    The primary key begins with the table, so the index on the table alone is not needed.
    """
    cursor.execute(
        "SELECT c.relname, pg_get_indexdef(i.indexrelid), pg_get_constraintdef(k.oid)"
        " FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid"
        " LEFT JOIN pg_constraint AS k ON k.conindid = i.indexrelid AND k.conrelid = i.indrelid"
        " WHERE i.indrelid = to_regclass(%s) AND NOT i.indisprimary ORDER BY i.indexrelid",
        [relation],
    )
    return [
        (name, definition, constraint)
        for name, definition, constraint in cursor.fetchall()
        if not name.startswith(OF_WORKERS) and not definition.endswith("(table_id)")
    ]


def _new_name(index: str) -> str:
    """Return the quoted name of an index until the relations have been exchanged."""
    return connection.ops.quote_name(f"new_{index}"[:63])


def _limit_waiting(cursor: CursorWrapper) -> None:
    cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'")
