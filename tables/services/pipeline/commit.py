"""Commit of a planned change: writes it, and records it with its undo."""
from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from django.db import connection
from django.utils import timezone

from shared import strictjson
from shared.db.statements import pipelined_statements, run_statements, update_statement
from shared.user_messages import Message, declare
from tables.column_types import ColumnSpec
from tables.exceptions import Conflict
from tables.models import Change, Column, Table
from tables.operations.cells import StoredRow, StoredRows
from tables.operations.changes.delta import Delta
from tables.operations.plans.data_plan import RowAnchor
from tables.operations.plans.row_order import RowMoves, with_placements
from tables.operations.proposals.choice import Origin
from tables.selectors.rows.reading import count_rows
from tables.services.pipeline.announcements import announce_change
from tables.services.pipeline.change_pieces import (
    added_row_pieces,
    insert_change,
    set_inserted_id,
    store_pieces,
    store_row_pieces,
)
from tables.services.pipeline.file_rows import record_files
from tables.services.pipeline.row_numbers import number_rows
from tables.services.pipeline.row_positions import move_rows
from tables.services.pipeline.row_texts import Texts, texts_of, texts_of_new_rows
from tables.services.pipeline.row_writing import delete_rows, insert_rows, write_texts

COLUMNS_EXIST = declare("columns_exist", "These columns were already added.")

Json = dict[str, Any]
COLUMN_FIELDS = (
    "name", "type", "required", "default", "options", "option_colors", "filter_display", "settings",
    "position",
)  # fmt: skip
# Row counts are stored only for larger tables; others are counted when needed.
LARGE = 10_000


@dataclass(frozen=True)
class BulkWriteResult:
    """Row count delta of a bulk write, and the first affected row ids: one more than signals list."""

    row_count_delta: int
    row_ids: Sequence[int]


class StagedRowSource(Protocol):
    """Rows stored elsewhere in the database that are written and recorded in batches, never all in memory."""

    def write(
        self, table: Table, *, change: Change, columns: Sequence[ColumnSpec], user: Any, now: Any, first: int
    ) -> BulkWriteResult:
        """Write the rows and the pieces of the change from number `first` on."""


@dataclass
class Effect:
    """The writes to a locked table.

    `contents` is the whole data of each changed or restored row, `adds` that of new rows. These are appended, except
    for those with an index in `beside`. Rows whose entry in the delta ends in None are deleted, as are those in
    `deletes`. The delta does not include new rows and `deletes`, whose pieces are written separately, nor `moves`,
    because the positions of rows are only known after the write.
    """

    before: Sequence[ColumnSpec]
    after: Sequence[ColumnSpec]
    delta: Delta
    contents: Mapping[int, Json] = field(default_factory=dict)
    adds: Sequence[Json] = ()
    beside: Mapping[int, RowAnchor] = field(default_factory=dict)
    deletes: Sequence[int] = ()
    moves: RowMoves = field(default_factory=RowMoves)
    source: StagedRowSource | None = None
    # The stored form of `contents` and `adds`, and the pieces of the delta as JSON text.
    texts: Mapping[int, Texts] = field(default_factory=dict)
    added_texts: Sequence[Texts] = ()
    pieces: Sequence[str] | None = None

    def serialise(self) -> None:
        """Compute the stored form as far as it is known before the write. Call it before the table is locked.

        On PostgreSQL, the pieces are computed while it writes the rows.
        """
        missing = {key: self.contents[key] for key in self.contents if key not in self.texts}
        if missing:
            texts = zip(missing, texts_of(missing.values(), columns=self.after), strict=True)
            self.texts = {**self.texts, **dict(texts)}
        self.added_texts = self.added_texts or texts_of_new_rows(self.adds, columns=self.after)
        if self.pieces is None and not self.moves and connection.vendor == "sqlite":
            self.pieces = list(pieces_of(self.delta))

    @property
    def row_count_delta(self) -> int:
        """Return the change of the row count, without `source`."""
        restored = sum(was is None for _, was, _ in self.delta.rows)
        deleted = sum(now is None for _, _, now in self.delta.rows)
        return len(self.adds) + restored - deleted - len(self.deletes)

    @property
    def is_noop(self) -> bool:
        """Return whether nothing would change. No change is recorded then, and the version does not change."""
        delta = self.delta
        written = delta.rows or self.adds or self.deletes or self.moves or self.source
        return not (delta.table or delta.columns or delta.order or written)


@dataclass(frozen=True)
class Record:
    """The description of the change."""

    summary: Message
    counts: Json = field(default_factory=dict)
    undo_of: Change | None = None
    is_redo: bool = False


def pieces_of(delta: Delta) -> Iterable[str]:
    """Yield the pieces of a delta as they are stored."""
    return (strictjson.dumps(steps) for steps in delta.pieces())


def commit_change(
    table: Table, effect: Effect, *, user: Any, origin: Origin, record: Record
) -> tuple[Change, list[int]]:
    """Write the effect as one change; return it with the ids of new rows. Must run in a transaction."""
    now = timezone.now()
    delta = effect.delta
    effect.serialise()
    update_row_count(table)
    known_count = table.known_rows
    _write_table(table, delta.table, now=now)
    if delta.columns or delta.order:
        write_columns(table, before=effect.before, after=effect.after)
        number_rows(table, columns=effect.after)
    delete_rows(table, [*effect.deletes, *(key for key, _, after in delta.rows if after is None)], user=user, now=now)
    ids: list[int] = []
    if effect.adds:
        ids = insert_rows(
            table, effect.adds, columns=effect.after, user=user, now=now, beside=effect.beside, texts=effect.added_texts
        )
    if effect.moves:
        delta.rows = with_placements(delta.rows, moved=move_rows(table, effect.moves, user=user, now=now))
    table.version += 1
    _set_row_count(table, rows=None if known_count is None else known_count + effect.row_count_delta)
    change = _new_change(table, user=user, origin=origin, record=record)
    piece_count = _write_changed_rows(table, effect, change=change, user=user, now=now)
    if ids:
        added = added_row_pieces(ids, [data for data, *_ in effect.added_texts], columns=len(effect.after))
        piece_count += store_pieces(change, added, first=piece_count)
    if effect.deletes:
        piece_count += store_row_pieces(
            change, effect.deletes, action="deleted", first=piece_count, columns=len(effect.before)
        )
    row_ids = [*ids, *effect.deletes]
    if effect.source is not None:
        result = effect.source.write(table, change=change, columns=effect.after, user=user, now=now, first=piece_count)
        _set_row_count(table, rows=None if table.known_rows is None else table.known_rows + result.row_count_delta)
        table.save(update_fields=["next_position", "next_number", "counted_rows", "counted_version"])
        row_ids += result.row_ids
    announce_change(change, delta, others=row_ids, moved=bool(effect.moves))
    return change, ids


def _write_changed_rows(table: Table, effect: Effect, *, change: Change, user: Any, now: datetime) -> int:
    """Write the change, the table, changed and restored rows, and the pieces of the delta; return their number."""
    contents, pieces = effect.contents, pieces_of(effect.delta) if effect.pieces is None else effect.pieces
    restored = {key for key, before, _ in effect.delta.rows if before is None}
    with connection.cursor() as inserted:
        with pipelined_statements():
            # PostgreSQL executes these two while the first rows are prepared.
            insert_change(change, cursor=inserted)
            run_statements(update_statement(table))
            write_texts(
                table, contents, columns=effect.after, user=user, now=now, texts=effect.texts, restored=restored
            )
            count = store_pieces(change, pieces, pipelined=True) if contents else 0
        set_inserted_id(change, cursor=inserted)
    record_files(table, contents.items(), columns=effect.after)
    return count if contents else store_pieces(change, pieces)


def _new_change(table: Table, *, user: Any, origin: Origin, record: Record) -> Change:
    return Change(
        table=table,
        version=table.version,
        actor=user,
        source=origin.source,
        summary=str(record.summary)[:255],
        summary_message=record.summary.as_json(),
        proposal_id=_uuid(origin.proposal_id),
        turn_id=_uuid(origin.turn_id),
        undo_of=record.undo_of,
        is_redo=record.is_redo,
        counts=record.counts,
    )


def update_row_count(table: Table) -> None:
    """Store the row count of a locked table that may be large, if the count of this version is unknown."""
    if table.known_rows is None and table.next_position >= LARGE:
        _set_row_count(table, rows=count_rows(table))


def _set_row_count(table: Table, *, rows: int | None) -> None:
    """Store the row count at this version, if it is known."""
    if rows is not None:
        table.counted_rows, table.counted_version = rows, table.version


def _write_table(table: Table, pair: Json | None, *, now: Any) -> None:
    new = pair["now"] if pair else {}
    table.name = new.get("name", table.name)
    table.description = new.get("description", table.description)
    if "deleted" in new:
        table.deleted_at = now if new["deleted"] else None


def _uuid(given: uuid.UUID | str | None) -> uuid.UUID | None:
    return uuid.UUID(given) if isinstance(given, str) and given else given or None


def write_columns(table: Table, *, before: Sequence[ColumnSpec], after: Sequence[ColumnSpec]) -> None:
    """Delete, add and change columns; unchanged ones are not written."""
    was = {column.id: column for column in before}
    now = {column.id: column for column in after}
    deleted = [key for key in was if key not in now]
    if deleted:
        Column.objects.filter(table_id=table.pk, pk__in=deleted).delete()
    changed = [_model(column, table=table) for column in after if column.id in was and column != was[column.id]]
    if changed:
        Column.objects.bulk_update(changed, COLUMN_FIELDS, batch_size=100)
    added = [_model(column, table=table) for column in after if column.id not in was]
    if added and Column.objects.filter(pk__in=[column.pk for column in added]).exists():
        raise Conflict(COLUMNS_EXIST(), code="exists_already")
    Column.objects.bulk_create(added)


def _model(column: ColumnSpec, *, table: Table) -> Column:
    values: dict[str, Any] = {name: getattr(column, name) for name in COLUMN_FIELDS}
    values |= {"options": list(column.options), "option_colors": dict(column.option_colors)}
    values["settings"] = dict(column.settings)
    return Column(id=column.id, table_id=table.pk, **values)


@dataclass(frozen=True)
class Applied:
    """The result of applying a proposal. `change` is None when nothing had to change.

    `warnings` are conditions that no row matches, with their paths. `columns` are those of the table afterwards, `rows`
    the affected rows. `by_column` are the same in the order of the operations, if these were read by columns.
    """

    change: int | None
    version: int
    table_id: int
    table_name: str
    applied: list[Json] = field(default_factory=list)
    skipped: list[Json] = field(default_factory=list)
    warnings: list[Json] = field(default_factory=list)
    columns: tuple[ColumnSpec, ...] = ()
    rows: Mapping[int, StoredRow] = field(default_factory=dict)
    by_column: StoredRows | None = None

    def as_json(self) -> Json:
        """Return the representation in API responses and records."""
        return {
            "change": self.change,
            "version": self.version,
            "table": {"id": self.table_id, "name": self.table_name},
            "applied": self.applied,
            "skipped": self.skipped,
            **({"warnings": self.warnings} if self.warnings else {}),
        }
