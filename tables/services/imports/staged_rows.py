"""Writes rows of a file that have been read and wait in the database: new ones without ever passing through here."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from shared import strictjson
from shared.user_messages import declare
from tables.column_types import ColumnSpec, TableShape
from tables.exceptions import Conflict
from tables.importing.keys import key_hash
from tables.importing.row_reading import default_values
from tables.models import POSITION_STEP, Change, StagedRows, Table
from tables.operations.delta import Delta, same
from tables.services.imports.row_keys import TableKeys
from tables.services.pipeline.announcements import MOST_ROWS
from tables.services.pipeline.locking import live_rows, locked_rows
from tables.services.pipeline.recording import Flowed, pieces_of
from tables.services.pipeline.row_writing import INSERTED, insert_rows, write_rows
from tables.services.pipeline.undo_cells import PIECES_AT_ONCE, keep_cells, keep_pieces, rows_of_a_piece

ROW_TO_CHANGE_DELETED = declare(
    "row_to_change_deleted", "A new row has no value for “{column}”; the row it was to change has been deleted."
)
SAME_KEYS = declare("same_keys", "Several rows of the table have the same key by now; nothing was written.")

Json = dict[str, Any]


@dataclass(frozen=True)
class NewRows:
    """All staged rows as new ones, in order. `refused`: also those of which cells could not be read.

    `check_access` is called before each part and raises when the user may no longer write.
    """

    staged: Sequence[int]
    refused: bool
    check_access: Callable[[], None]

    def flow(
        self, table: Table, *, change: Change, columns: Sequence[ColumnSpec], user: Any, now: datetime, first: int
    ) -> Flowed:
        """Copies them from place to place in the database, one part a statement."""
        insert = _insert_postgresql if connection.vendor == "postgresql" else _insert_sqlite
        at_once = rows_of_a_piece(len(columns)) * PIECES_AT_ONCE
        waiting: list[int] = []
        touched: list[int] = []
        gained = 0
        for staged in self.staged:
            self.check_access()
            places = insert(staged, table=table, refused=self.refused, user=user, now=now)
            # In which order a database returns what it inserted is nowhere promised.
            ids = [row_id for _, row_id in sorted(places)]
            table.next_position += len(ids)
            gained += len(ids)
            touched += ids[: MOST_ROWS + 1 - len(touched)]
            waiting += ids
            # Never the ids of all rows at hand: only as many as fill whole pieces.
            while len(waiting) >= at_once:
                first += keep_cells(change, waiting[:at_once], became="added", first=first, columns=len(columns))
                del waiting[:at_once]
        keep_cells(change, waiting, became="added", first=first, columns=len(columns))
        return Flowed(gained, touched)


@dataclass(frozen=True)
class MergedRows:
    """Staged rows of which those with a known key change the row that has it; the others are new.

    `keys` knows the rows of the table by what they hold in the columns `merge_on`. `clears`: empty cells of the file
    empty those of the table. `filled` are the columns that something of the file goes into. `check_access` as above.
    """

    staged: Sequence[int]
    refused: bool
    check_access: Callable[[], None]
    merge_on: Sequence[str]
    keys: TableKeys
    filled: frozenset[str]
    clears: bool
    shape: TableShape

    def flow(
        self, table: Table, *, change: Change, columns: Sequence[ColumnSpec], user: Any, now: datetime, first: int
    ) -> Flowed:
        """Writes them a part at a time. Raises Conflict when a row cannot be written any more."""
        touched: list[int] = []
        gained = 0
        for staged in self.staged:
            self.check_access()
            updates, adds = self._sorted_out(staged, columns=columns)
            delta, contents = self._changed(table, updates=updates)
            write_rows(contents, columns=columns, user=user, now=now)
            first += keep_pieces(change, pieces_of(delta), first=first)
            added = insert_rows(table, adds, columns=columns, user=user, now=now)
            if added:
                first += keep_cells(change, added, became="added", first=first, columns=len(columns))
            gained += len(added)
            touched += [*contents, *added][: MOST_ROWS + 1 - len(touched)]
        return Flowed(gained, touched)

    def counted(self) -> tuple[int, int]:
        """How many rows are changed (or are so already) and how many are new."""
        changed = new = 0
        for staged in self.staged:
            for _, row_id in self._rows(staged):
                changed, new = changed + (row_id is not None), new + (row_id is None)
        return changed, new

    def _sorted_out(self, staged: int, *, columns: Sequence[ColumnSpec]) -> tuple[dict[int, Json], list[Json]]:
        updates: dict[int, Json] = {}
        adds: list[Json] = []
        defaults = default_values(columns, filled=self.filled)
        for data, row_id in self._rows(staged):
            if row_id is not None:
                updates[row_id] = data
                continue
            whole = {**defaults, **{key: value for key, value in data.items() if value is not None}}
            lacking = next((column for column in columns if column.required and column.id not in whole), None)
            if lacking is not None:
                raise Conflict(ROW_TO_CHANGE_DELETED(column=lacking.name), code="rows_changed")
            adds.append(whole)
        return updates, adds

    def _changed(self, table: Table, *, updates: Mapping[int, Json]) -> tuple[Delta, dict[int, Json]]:
        delta, contents = Delta(), dict[int, Json]()
        for row_id, row in live_rows(locked_rows(table, updates, shape=self.shape)).items():
            cells = {
                key: value
                for key, value in updates[row_id].items()
                if (value is not None or self.clears) and not same(row.data.get(key), value)
            }
            if cells:
                delta.rows.append([row_id, {key: row.data.get(key) for key in cells}, cells])
                whole = {**row.data, **cells}
                contents[row_id] = {key: value for key, value in whole.items() if value is not None}
        return delta, contents

    def _rows(self, staged: int) -> Iterator[tuple[Json, int | None]]:
        """The cells of each with the row of the table that they change; None for a new one."""
        text = StagedRows.objects.values_list("rows", flat=True).get(pk=staged)
        rows = [data for _, refused, data, *_ in strictjson.read(text) if self.refused or not refused]
        marks = [key_hash(data, self.merge_on) for data in rows]
        known = self.keys.find([mark for mark in marks if mark is not None])
        for data, mark in zip(rows, marks, strict=True):
            met = known.get(mark) if mark is not None else None
            if met is not None and met.rows > 1:
                raise Conflict(SAME_KEYS(), code="rows_changed")
            yield data, met.row_id if met is not None else None


def _insert_postgresql(staged: int, *, table: Table, refused: bool, user: Any, now: datetime) -> list[tuple[int, int]]:
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO tables_row ({INSERTED})"
            f" SELECT (%s + row_number() OVER (ORDER BY v.number) - 1) * {POSITION_STEP},"
            " (v.row ->> 2)::jsonb, v.row ->> 3, v.row ->> 4,"
            " %s, 1, %s, %s, %s, %s FROM tables_stagedrows AS s"
            " CROSS JOIN LATERAL jsonb_array_elements(s.rows::jsonb) WITH ORDINALITY AS v(row, number)"
            " WHERE s.id = %s AND (v.row ->> 1)::int <= %s ORDER BY v.number RETURNING position, id",
            [table.next_position, table.pk, now, now, user.pk, user.pk, staged, int(refused)],
        )
        return list(cursor.fetchall())


def _insert_sqlite(staged: int, *, table: Table, refused: bool, user: Any, now: datetime) -> list[tuple[int, int]]:
    stamp = connection.ops.adapt_datetimefield_value(now)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO tables_row ({INSERTED})"
            f" SELECT (%s + row_number() OVER (ORDER BY v.key) - 1) * {POSITION_STEP},"
            " json_extract(v.value, '$[2]'),"
            " json_extract(v.value, '$[3]'), json_extract(v.value, '$[4]'), %s, 1, %s, %s, %s, %s"
            " FROM tables_stagedrows AS s, json_each(s.rows) AS v"
            " WHERE s.id = %s AND json_extract(v.value, '$[1]') <= %s ORDER BY v.key RETURNING position, id",
            [table.next_position, table.pk, stamp, stamp, user.pk, user.pk, staged, int(refused)],
        )
        return list(cursor.fetchall())
