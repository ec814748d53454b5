"""Writing of staged rows to a table; new rows are copied within the database."""
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
from tables.importing.row_reading import default_values, key_hash
from tables.models import POSITION_STEP, Change, StagedRows, Table
from tables.operations.changes.delta import Delta, same
from tables.services.imports.row_keys import TableKeys
from tables.services.pipeline.announcements import MAX_ROWS
from tables.services.pipeline.change_pieces import PIECES_PER_QUERY, rows_per_piece, store_pieces, store_row_pieces
from tables.services.pipeline.commit import BulkWriteResult, pieces_of
from tables.services.pipeline.locking import locked_rows, without_deleted
from tables.services.pipeline.row_writing import INSERT_COLUMNS, insert_rows, write_rows

ROW_TO_CHANGE_DELETED = declare(
    "row_to_change_deleted", "A new row has no value for “{column}”, because the row to update was deleted."
)
SAME_KEYS = declare("same_keys", "Several rows in the table now have the same key; nothing was imported.")

Json = dict[str, Any]
SELECTS = {
    "postgresql": f"SELECT (%s + row_number() OVER (ORDER BY v.number) - 1) * {POSITION_STEP},"
    " (v.row ->> 2)::jsonb, v.row ->> 3, v.row ->> 4, %s, 1, %s, %s, %s, %s FROM tables_stagedrows AS s"
    " CROSS JOIN LATERAL jsonb_array_elements(s.rows::jsonb) WITH ORDINALITY AS v(row, number)"
    " WHERE s.id = %s AND (v.row ->> 1)::int <= %s ORDER BY v.number",
    "sqlite": f"SELECT (%s + row_number() OVER (ORDER BY v.key) - 1) * {POSITION_STEP},"
    " json_extract(v.value, '$[2]'), json_extract(v.value, '$[3]'), json_extract(v.value, '$[4]'),"
    " json_extract(v.value, '$[5]'), %s, 1, %s, %s, %s, %s"
    " FROM tables_stagedrows AS s, json_each(s.rows) AS v"
    " WHERE s.id = %s AND json_extract(v.value, '$[1]') <= %s ORDER BY v.key",
}


@dataclass(frozen=True)
class NewRows:
    """All staged rows as new ones, in order. `refused`: include rows of which cells could not be read.

    `check_access` is called before each batch and raises when the user may no longer write.
    """

    staged: Sequence[int]
    refused: bool
    check_access: Callable[[], None]

    def write(
        self, table: Table, *, change: Change, columns: Sequence[ColumnSpec], user: Any, now: datetime, first: int
    ) -> BulkWriteResult:
        """Copy the rows within the database, in one query per batch."""
        batch_size = rows_per_piece(len(columns)) * PIECES_PER_QUERY
        pending: list[int] = []
        row_ids: list[int] = []
        row_count_delta = 0
        for staged in self.staged:
            self.check_access()
            positions = _insert(staged, table=table, refused=self.refused, user=user, now=now)
            # Databases do not guarantee the order in which inserted rows are returned.
            ids = [row_id for _, row_id in sorted(positions)]
            table.next_position += len(ids)
            row_count_delta += len(ids)
            row_ids += ids[: MAX_ROWS + 1 - len(row_ids)]
            pending += ids
            # Ids are only collected until they fill whole pieces, to limit memory.
            while len(pending) >= batch_size:
                batch, pending = pending[:batch_size], pending[batch_size:]
                first += store_row_pieces(change, batch, action="added", first=first, columns=len(columns))
        store_row_pieces(change, pending, action="added", first=first, columns=len(columns))
        return BulkWriteResult(row_count_delta, row_ids)


@dataclass(frozen=True)
class MergedRows:
    """Staged rows that update the row with the same key; those without one are new.

    `keys` are those of the table in the columns `merge_on`. `clears`: empty cells of the file empty those of the table.
    `filled` are the columns that the file has values for. `check_access` as in NewRows.
    """

    staged: Sequence[int]
    refused: bool
    check_access: Callable[[], None]
    merge_on: Sequence[str]
    keys: TableKeys
    filled: frozenset[str]
    clears: bool
    shape: TableShape

    def write(
        self, table: Table, *, change: Change, columns: Sequence[ColumnSpec], user: Any, now: datetime, first: int
    ) -> BulkWriteResult:
        """Write the rows in batches. Raises Conflict when a row can no longer be written."""
        row_ids: list[int] = []
        row_count_delta = 0
        for staged in self.staged:
            self.check_access()
            updates, adds = self._updates_and_adds(staged, columns=columns)
            delta, contents = self._delta(table, updates=updates)
            write_rows(table, contents, columns=columns, user=user, now=now)
            first += store_pieces(change, pieces_of(delta), first=first)
            added = insert_rows(table, adds, columns=columns, user=user, now=now)
            if added:
                first += store_row_pieces(change, added, action="added", first=first, columns=len(columns))
            row_count_delta += len(added)
            row_ids += [*contents, *added][: MAX_ROWS + 1 - len(row_ids)]
        return BulkWriteResult(row_count_delta, row_ids)

    def counts(self) -> tuple[int, int]:
        """Return the numbers of updated rows, unchanged ones included, and of new rows."""
        changed = new = 0
        for staged in self.staged:
            for _, row_id in self._rows(staged):
                changed, new = changed + (row_id is not None), new + (row_id is None)
        return changed, new

    def _updates_and_adds(self, staged: int, *, columns: Sequence[ColumnSpec]) -> tuple[dict[int, Json], list[Json]]:
        updates: dict[int, Json] = {}
        adds: list[Json] = []
        defaults = default_values(columns, filled=self.filled)
        for data, row_id in self._rows(staged):
            if row_id is not None:
                updates[row_id] = data
                continue
            complete = {**defaults, **{key: value for key, value in data.items() if value is not None}}
            missing = next((column for column in columns if column.required and column.id not in complete), None)
            if missing is not None:
                raise Conflict(ROW_TO_CHANGE_DELETED(column=missing.name), code="rows_changed")
            adds.append(complete)
        return updates, adds

    def _delta(self, table: Table, *, updates: Mapping[int, Json]) -> tuple[Delta, dict[int, Json]]:
        delta, contents = Delta(), dict[int, Json]()
        for row_id, row in without_deleted(locked_rows(table, updates, shape=self.shape)).items():
            cells = {
                key: value
                for key, value in updates[row_id].items()
                if (value is not None or self.clears) and not same(row.data.get(key), value)
            }
            if cells:
                delta.rows.append([row_id, {key: row.data.get(key) for key in cells}, cells])
                merged = {**row.data, **cells}
                contents[row_id] = {key: value for key, value in merged.items() if value is not None}
        return delta, contents

    def _rows(self, staged: int) -> Iterator[tuple[Json, int | None]]:
        """Yield the cells of each row with the id of the row that they update; None for a new one."""
        text = StagedRows.objects.values_list("rows", flat=True).get(pk=staged)
        rows = [data for _, refused, data, *_ in strictjson.loads(text) if self.refused or not refused]
        hashes = [key_hash(data, self.merge_on) for data in rows]
        matches = self.keys.find([key for key in hashes if key is not None])
        for data, key in zip(rows, hashes, strict=True):
            match = matches.get(key) if key is not None else None
            if match is not None and match.rows > 1:
                raise Conflict(SAME_KEYS(), code="rows_changed")
            yield data, match.row_id if match is not None else None


def _insert(staged: int, *, table: Table, refused: bool, user: Any, now: datetime) -> list[tuple[int, int]]:
    """Copy one batch of staged rows into the table; return their positions and ids."""
    stamp, vendor = connection.ops.adapt_datetimefield_value(now), connection.vendor
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO tables_row ({INSERT_COLUMNS[vendor]}) {SELECTS[vendor]} RETURNING position, id",
            [table.next_position, table.pk, stamp, stamp, user.pk, user.pk, staged, int(refused)],
        )
        return list(cursor.fetchall())
