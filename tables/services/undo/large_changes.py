"""Undo of the effect of a large change on rows, in batches, so that it is never completely in memory."""
from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, zip_longest
from typing import Any

from django.db import transaction

from shared.user_messages import declare
from tables.column_types import ColumnSpec, TableShape
from tables.column_types.limits import LIMITS
from tables.exceptions import Conflict, Fault, Invalid
from tables.models import Change, Table
from tables.operations.changes.delta import Delta, counts_of_rows, is_inverse, joined
from tables.operations.changes.undo_plan import UndoPlan, plan_undo
from tables.operations.changes.undo_required import RequiredColumns
from tables.selectors import count_rows
from tables.services.pipeline.announcements import MAX_ROWS
from tables.services.pipeline.change_pieces import PIECES_PER_QUERY, rows_per_piece, store_pieces, store_row_pieces
from tables.services.pipeline.commit import BulkWriteResult, pieces_of
from tables.services.pipeline.file_rows import refuse_deleted_files
from tables.services.pipeline.locking import locked_rows
from tables.services.pipeline.row_writing import delete_rows, write_rows

TOO_MANY_ROWS_BACK = declare(
    "too_many_rows_back", "Restoring these rows would exceed the limit of {count:,} rows."
)
TOO_MANY_COLUMNS_BACK = declare(
    "too_many_columns_back",
    "Restoring these columns would exceed the limit of {count} columns.",
)
WOULD_OVERWRITE = declare("would_overwrite", "This would overwrite later changes.")

Decision = str | Mapping[str, str]
# Pieces per batch. Most changes have fewer, and are undone at once.
PIECES_PER_PART = 20
MAX_LISTED_CONFLICTS = 1_000


def parts_of(change: Change) -> Iterator[Delta]:
    """Yield a change in batches, at least one; changes of columns and names are in the first one."""
    start, more = 0, True
    while more:
        pieces = list(change.pieces.filter(index__gte=start).order_by("index")[:PIECES_PER_PART])
        if pieces or not start:
            yield joined(piece.steps for piece in pieces)
        more = len(pieces) == PIECES_PER_PART
        start = pieces[-1].index + 1 if pieces else start


def is_undone_by(undo: Change, *, redo: Change) -> bool:
    """Return whether a redo did the exact opposite of an undo; large ones must be in the same order."""
    undone, redone = parts_of(undo), parts_of(redo)
    first, again = next(undone), next(redone)
    more, others = next(undone, None), next(redone, None)
    if more is None and others is None:
        return is_inverse(again, first)
    definitions = [Delta(table=each.table, columns=each.columns, order=each.order) for each in (again, first)]
    rows = [
        chain.from_iterable(part.rows for part in chain([one, two or Delta()], rest))
        for one, two, rest in ((first, more, undone), (again, others, redone))
    ]
    both = zip_longest(*rows, fillvalue=[None, None, None])
    return is_inverse(*definitions) and all(one == [two[0], two[2], two[1]] for one, two in both)


def refuse_too_many(table: Table, *, row_count_delta: int, count: int) -> None:
    """Raise Invalid if the restored rows would exceed the row limit."""
    if row_count_delta > 0 and count > LIMITS.rows:
        raise Invalid(TOO_MANY_ROWS_BACK(count=LIMITS.rows), code="too_many_rows")


class Conflicts:
    """Conflicts of an undo with later changes: their number, and the first of them."""

    def __init__(self, faults: Sequence[Fault] = ()) -> None:
        self.count = 0
        self._listed: list[Fault] = []
        self.take(faults)

    def take(self, faults: Sequence[Fault]) -> None:
        """Add more conflicts."""
        self.count += len(faults)
        self._listed += faults[: MAX_LISTED_CONFLICTS - len(self._listed)]

    def refuse(self) -> None:
        """Raise Conflict if there are any."""
        if self.count:
            error = Conflict(WOULD_OVERWRITE(), faults=self._listed, extra={"conflicts": self.count})
            error.more_faults = self.count - len(self._listed)
            raise error


class InvertedRows:
    """Staged rows: the inverted effect of a change on rows, in batches.

    `shape` is that of the table when the rows are written, `counts` the number of written rows by action,
    `skipped` the first values that cannot be restored, `skipped_count` their number. Raises Conflict with all conflicts
    of the batches, and Invalid; the transaction then rolls back the batches that were written.
    """

    def __init__(
        self,
        parts: Iterable[Delta],
        *,
        shape: TableShape,
        decision: Decision,
        required: RequiredColumns | None = None,
    ) -> None:
        self._parts, self._shape, self._decision, self._required = parts, shape, decision, required
        self.conflicts = Conflicts()
        self.counts: Counter[str] = Counter()
        self.skipped: list[Fault] = []
        self.skipped_count = 0

    def write(
        self, table: Table, *, change: Change, columns: Sequence[ColumnSpec], user: Any, now: datetime, first: int
    ) -> BulkWriteResult:
        """Write the rows and the pieces of the change."""
        row_ids: list[int] = []
        row_count_delta = 0
        for plan in self._plans(table):
            # From the first conflict on nothing is written, but the remaining conflicts are counted.
            if self.conflicts.count:
                continue
            rows = plan.delta.rows
            refuse_deleted_files(table, rows, columns=columns)
            delete_rows(table, [key for key, _, after in rows if after is None], user=user, now=now)
            write_rows(table, plan.contents, columns=columns, user=user, now=now)
            first += store_pieces(change, pieces_of(plan.delta), first=first)
            row_count_delta += sum(was is None for _, was, _ in rows) - sum(after is None for _, _, after in rows)
            self.counts += counts_of_rows(rows)
            row_ids += [key for key, _, _ in rows[: MAX_ROWS + 1 - len(row_ids)]]
        self.conflicts.refuse()
        known = table.known_rows
        count = count_rows(table) if known is None else known + row_count_delta
        refuse_too_many(table, row_count_delta=row_count_delta, count=count)
        return BulkWriteResult(row_count_delta, row_ids)

    def _plans(self, table: Table) -> Iterator[UndoPlan]:
        for part in self._parts:
            self._check(part)
            rows = locked_rows(table, [key for key, _, _ in part.rows], shape=self._shape)
            plan = plan_undo(
                delta=Delta(rows=part.rows),
                shape=self._shape,
                rows=rows,
                all_rows=tuple,
                decision=self._decision,
                required=self._required,
            )
            self.conflicts.take(plan.conflicts)
            self.skipped_count += len(plan.skipped)
            self.skipped += plan.skipped[: MAX_LISTED_CONFLICTS - len(self.skipped)]
            yield plan


    def _check(self, part: Delta) -> None:
        """Check a batch before it is planned. Subclasses override this."""


class _NotOnlyAdded(Exception):
    """The change has other effects on rows than adding them."""


class DeletedRows(InvertedRows):
    """Staged rows that were all added by the change. They are deleted before its columns, and recorded afterwards."""

    _deleted: array[int]

    def delete(self, table: Table, *, user: Any, now: datetime) -> bool:
        """Delete the rows and count conflicts; return False without effect if the change did not only add rows."""
        self._deleted = array("q")
        try:
            with transaction.atomic():
                for plan in self._plans(table):
                    ids = [key for key, _, _ in plan.delta.rows]
                    self._deleted.extend(ids)
                    delete_rows(table, ids, user=user, now=now)
        except _NotOnlyAdded:
            return False
        return True

    def write(
        self, table: Table, *, change: Change, columns: Sequence[ColumnSpec], user: Any, now: datetime, first: int
    ) -> BulkWriteResult:
        """Record the cells of the deleted rows."""
        width = len(self._shape.columns)
        batch_size = rows_per_piece(width) * PIECES_PER_QUERY
        for start in range(0, len(self._deleted), batch_size):
            ids = self._deleted[start : start + batch_size].tolist()
            first += store_row_pieces(change, ids, action="deleted", first=first, columns=width)
        self.counts["delete"] = len(self._deleted)
        return BulkWriteResult(-len(self._deleted), self._deleted[: MAX_ROWS + 1].tolist())

    def _check(self, part: Delta) -> None:
        if any(now is not None for _, _, now in part.rows):
            raise _NotOnlyAdded
