"""Writing of staged rows to a table."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from shared import strictjson
from shared.user_messages import declare
from tables.column_types import ColumnSpec, TableShape
from tables.exceptions import Conflict
from tables.importing.row_reading import default_values, key_hash
from tables.models import Change, StagedRows, Table
from tables.operations.changes.delta import Delta, same
from tables.services.files.archived import add_archived_files
from tables.services.imports.row_keys import TableKeys
from tables.services.pipeline.announcements import MAX_ROWS
from tables.services.pipeline.change_pieces import added_row_pieces, store_pieces, store_row_pieces
from tables.services.pipeline.commit import BulkWriteResult, pieces_of
from tables.services.pipeline.file_rows import record_files
from tables.services.pipeline.locking import locked_rows, without_deleted
from tables.services.pipeline.row_texts import Texts
from tables.services.pipeline.row_writing import insert_rows, insert_texts, write_rows

ROW_TO_CHANGE_DELETED = declare(
    "row_to_change_deleted", "A new row has no value for “{column}”, because the row to update was deleted."
)
SAME_KEYS = declare("same_keys", "Several rows in the table now have the same key; nothing was imported.")

Json = dict[str, Any]
# The key of a batch: `table_id` and id.
StagedKey = tuple[int | None, int]
# Of a new row: 1 if cells were refused, and its stored form.
StagedRow = tuple[int, Texts]
# Of a row that may update another: the same, and its data.
UnmatchedRow = tuple[int, Json]


@dataclass(frozen=True)
class NewRows:
    """All staged rows as new ones, in order. `refused`: include rows of which cells could not be read.

    `check_access` is called before each batch and raises when the user may no longer write. `files` are the names of
    the contents by key that cells refer to, and that the table gets.
    """

    staged: Sequence[StagedKey]
    refused: bool
    check_access: Callable[[], None]
    files: Mapping[str, str]

    def write(
        self, table: Table, *, change: Change, columns: Sequence[ColumnSpec], user: Any, now: datetime, first: int
    ) -> BulkWriteResult:
        """Write the rows, whose stored form was computed when they were staged, one batch after the other."""
        row_ids: list[int] = []
        row_count_delta = 0
        add_archived_files(table, self.files, user=user, now=now)
        for staged in self.staged:
            self.check_access()
            texts = [texts for refused, texts in _staged_rows(staged) if self.refused or not refused]
            if not texts:
                continue
            ids = insert_texts(table, texts, user=user, now=now)
            if self.files:
                rows = (strictjson.loads(data) for data, *_ in texts)
                record_files(table, zip(ids, rows, strict=True), columns=columns)
            pieces = added_row_pieces(ids, [text for text, *_ in texts], columns=len(columns))
            first += store_pieces(change, pieces, first=first)
            row_count_delta += len(ids)
            row_ids += ids[: MAX_ROWS + 1 - len(row_ids)]
        return BulkWriteResult(row_count_delta, row_ids)


@dataclass(frozen=True)
class MergedRows:
    """Staged rows that update the row with the same key; those without one are new.

    `keys` are those of the table in the columns `merge_on`. `clears`: empty cells of the file empty those of the table.
    `filled` are the columns that the file has values for. `check_access` and `files` as in NewRows.
    """

    staged: Sequence[StagedKey]
    refused: bool
    check_access: Callable[[], None]
    files: Mapping[str, str]
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
        add_archived_files(table, self.files, user=user, now=now)
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

    def _updates_and_adds(
        self, staged: StagedKey, *, columns: Sequence[ColumnSpec]
    ) -> tuple[dict[int, Json], list[Json]]:
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

    def _rows(self, staged: StagedKey) -> Iterator[tuple[Json, int | None]]:
        """Yield the cells of each row with the id of the row that they update; None for a new one."""
        rows = [data for refused, data in strictjson.loads(_text_of(staged)) if self.refused or not refused]
        hashes = [key_hash(data, self.merge_on) for data in rows]
        matches = self.keys.find([key for key in hashes if key is not None])
        for data, key in zip(rows, hashes, strict=True):
            match = matches.get(key) if key is not None else None
            if match is not None and match.rows > 1:
                raise Conflict(SAME_KEYS(), code="rows_changed")
            yield data, match.row_id if match is not None else None


def staged_text(rows: Sequence[StagedRow]) -> str:
    """Return new rows as they are staged: a line of JSON, then a line for each row, whose JSON is not escaped again."""
    refused = [each for each, _ in rows]
    data, search_texts = zip(*(texts for _, texts in rows), strict=True)
    return "\n".join([strictjson.dumps([refused, search_texts]), *data])


def _staged_rows(staged: StagedKey) -> Iterator[StagedRow]:
    head, *data = _text_of(staged).split("\n")
    refused, search_texts = strictjson.loads(head)
    return zip(refused, zip(data, search_texts, strict=True), strict=True)


def _text_of(staged: StagedKey) -> str:
    table_id, pk = staged
    return StagedRows.objects.values_list("rows", flat=True).get(table_id=table_id, pk=pk)
