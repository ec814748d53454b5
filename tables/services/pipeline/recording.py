"""The one place where a planned change is written, together with the record that takes it back."""
from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.utils import timezone

from shared import strictjson
from shared.user_messages import Message
from tables.column_types import ColumnSpec
from tables.models import Change, Table
from tables.operations.choice import Origin
from tables.operations.data_plan import RowAnchor
from tables.operations.delta import Delta
from tables.operations.row_order import RowMoves, with_placements
from tables.selectors.rows import count_rows
from tables.services.pipeline.announcements import announce_change
from tables.services.pipeline.column_writing import write_columns
from tables.services.pipeline.row_order import move
from tables.services.pipeline.row_writing import Texts, delete_rows, insert_rows, texts_of, write_rows
from tables.services.pipeline.undo_cells import keep_cells, keep_pieces

Json = dict[str, Any]
# Of a table that never had as many rows, nothing is gained by knowing how many it has.
LARGE = 10_000


@dataclass(frozen=True)
class Flowed:
    """What came of an inflow: by how many rows the table grew, and the first of the rows that were touched, one more
    than are announced one by one."""

    gained: int
    touched: Sequence[int]


class Inflow(Protocol):
    """Rows that wait elsewhere in the database: they are written and recorded a part at a time, never all at hand."""

    def flow(
        self, table: Table, *, change: Change, columns: Sequence[ColumnSpec], user: Any, now: Any, first: int
    ) -> Flowed:
        """Writes the rows and the pieces of the change from number `first` on."""


@dataclass
class Effect:
    """What is to be written to a locked table.

    `contents` is the whole data of each row that is changed or brought back, `adds` that of new rows; they go to the
    end but for those of `beside`, by their index. Rows whose entry in the delta ends in None are deleted, and so are
    those of `deletes`. New rows and `deletes` are not in the delta:
    the record takes their cells from the database itself. Nor are `moves`: the places that rows get are known once
    they are written.
    """

    before: Sequence[ColumnSpec]
    after: Sequence[ColumnSpec]
    delta: Delta
    contents: dict[int, Json] = field(default_factory=dict)
    adds: Sequence[Json] = ()
    beside: Mapping[int, RowAnchor] = field(default_factory=dict)
    deletes: Sequence[int] = ()
    moves: RowMoves = field(default_factory=RowMoves)
    inflow: Inflow | None = None
    # What is stored of `contents` and `adds`, and the pieces of the delta as JSON text.
    texts: dict[int, Texts] = field(default_factory=dict)
    added_texts: Sequence[Texts] = ()
    pieces: Sequence[str] | None = None

    def serialise(self) -> None:
        """Compute what is stored, as far as it is known before it is written: best done before the table is locked."""
        missing = {key: data for key, data in self.contents.items() if key not in self.texts}
        self.texts |= zip(missing, texts_of(missing.values(), columns=self.after), strict=True)
        self.added_texts = self.added_texts or texts_of(self.adds, columns=self.after)
        if self.pieces is None and not self.moves:
            self.pieces = pieces_of(self.delta)

    @property
    def gained(self) -> int:
        """By how many rows the table grows, but for the inflow."""
        back = sum(was is None for _, was, _ in self.delta.rows)
        gone = sum(now is None for _, _, now in self.delta.rows)
        return len(self.adds) + back - gone - len(self.deletes)

    @property
    def changes_nothing(self) -> bool:
        """Whether everything would be as it was: that is no change, and moves no version."""
        delta = self.delta
        written = delta.rows or self.adds or self.deletes or self.moves or self.inflow
        return not (delta.table or delta.columns or delta.order or written)


@dataclass(frozen=True)
class Record:
    """How the change is remembered."""

    summary: Message
    counts: Json = field(default_factory=dict)
    undo_of: Change | None = None
    is_redo: bool = False


def pieces_of(delta: Delta) -> list[str]:
    """Return the pieces of a delta as they are stored."""
    return [strictjson.dump(steps) for steps in delta.pieces()]


def carry_out(table: Table, effect: Effect, *, user: Any, origin: Origin, record: Record) -> tuple[Change, list[int]]:
    """Writes the effect as one change; returns it with the ids of new rows. Belongs in a transaction."""
    now = timezone.now()
    delta = effect.delta
    effect.serialise()
    count_again(table)
    known = table.known_rows
    _write_table(table, delta.table, now=now)
    if delta.columns or delta.order:
        write_columns(table, before=effect.before, after=effect.after)
    delete_rows([*effect.deletes, *(key for key, _, after in delta.rows if after is None)], user=user, now=now)
    write_rows(effect.contents, columns=effect.after, user=user, now=now, texts=effect.texts)
    ids: list[int] = []
    if effect.adds:
        ids = insert_rows(
            table, effect.adds, columns=effect.after, user=user, now=now, beside=effect.beside, texts=effect.added_texts
        )
    if effect.moves:
        delta.rows = with_placements(delta.rows, moved=move(table, effect.moves, user=user, now=now))
    table.version += 1
    _count(table, rows=None if known is None else known + effect.gained)
    table.save()
    change = Change.objects.create(
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
    copied = keep_pieces(change, pieces_of(delta) if effect.pieces is None else effect.pieces)
    if ids:
        copied += keep_cells(change, ids, became="added", first=copied, columns=len(effect.after))
    if effect.deletes:
        copied += keep_cells(change, effect.deletes, became="deleted", first=copied, columns=len(effect.before))
    touched = [*ids, *effect.deletes]
    if effect.inflow is not None:
        flowed = effect.inflow.flow(table, change=change, columns=effect.after, user=user, now=now, first=copied)
        _count(table, rows=None if table.known_rows is None else table.known_rows + flowed.gained)
        table.save(update_fields=["next_position", "counted_rows", "counted_version"])
        touched += flowed.touched
    announce_change(change, delta, others=touched, moved=bool(effect.moves))
    return change, ids


def count_again(table: Table) -> None:
    """Counts the rows of a locked table that may have many, where nobody has done so at this version."""
    if table.known_rows is None and table.next_position >= LARGE:
        _count(table, rows=count_rows(table))


def _count(table: Table, *, rows: int | None) -> None:
    """Notes how many rows there are at this version, if that is known."""
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
