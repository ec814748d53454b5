"""Takes back what a large change did to rows a part at a time, so that never all of it is at hand."""
from __future__ import annotations

from array import array
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
from tables.operations.delta import Delta, is_inverse, joined
from tables.operations.undo_plan import UndoPlan, plan_undo
from tables.selectors import count_rows
from tables.services.pipeline.announcements import MOST_ROWS
from tables.services.pipeline.locking import locked_rows
from tables.services.pipeline.recording import Flowed, pieces_of
from tables.services.pipeline.row_writing import delete_rows, write_rows
from tables.services.pipeline.undo_cells import PIECES_AT_ONCE, keep_cells, keep_pieces, rows_of_a_piece

TOO_MANY_ROWS_BACK = declare(
    "too_many_rows_back", "A table has at most {count:,} rows; with those that would come back it would have more."
)
TOO_MANY_COLUMNS_BACK = declare(
    "too_many_columns_back",
    "A table has at most {count} columns; with those that would come back it would have more.",
)
WOULD_OVERWRITE = declare("would_overwrite", "This would overwrite what changed since; nothing was done.")

Decision = str | Mapping[str, str]
# So many pieces are one part: most changes have fewer, and are taken back at once.
AT_ONCE = 20
MOST_LISTED = 1_000


def parts_of(change: Change) -> Iterator[Delta]:
    """What a change did, a part at a time, one at least; what it did to columns and names comes with the first."""
    start, more = 0, True
    while more:
        pieces = list(change.pieces.filter(index__gte=start).order_by("index")[:AT_ONCE])
        if pieces or not start:
            yield joined(piece.steps for piece in pieces)
        more = len(pieces) == AT_ONCE
        start = pieces[-1].index + 1 if pieces else start


def is_taken_back_by(undo: Change, *, redo: Change) -> bool:
    """Whether a redo did the exact opposite of an undo; of large ones only where it did so in the same order."""
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


def refuse_too_many(table: Table, *, gained: int, count: int) -> None:
    """What comes back must find room: a limit that held when it went may be used up by now. Raises Invalid."""
    if gained > 0 and count > LIMITS.rows:
        raise Invalid(TOO_MANY_ROWS_BACK(count=LIMITS.rows), code="too_many_rows")


class Conflicts:
    """What would be overwritten: how much, and the first of it."""

    def __init__(self, faults: Sequence[Fault] = ()) -> None:
        self.count = 0
        self._listed: list[Fault] = []
        self.take(faults)

    def take(self, faults: Sequence[Fault]) -> None:
        """Some more of it."""
        self.count += len(faults)
        self._listed += faults[: MOST_LISTED - len(self._listed)]

    def refuse(self) -> None:
        """Raises Conflict when there is any."""
        if self.count:
            raise Conflict(WOULD_OVERWRITE(), faults=tuple(self._listed), extra={"conflicts": self.count})


class RowsTakenBack:
    """An inflow: what a change did to rows, turned round, one part after the other.

    `shape` is the table's as it is when the rows are written. Raises Conflict with what all parts together would
    overwrite, and Invalid; the transaction then takes back what was written of the first parts.
    """

    def __init__(self, parts: Iterable[Delta], *, shape: TableShape, decision: Decision) -> None:
        self._parts, self._shape, self._decision = parts, shape, decision
        self.conflicts = Conflicts()

    def flow(
        self, table: Table, *, change: Change, columns: Sequence[ColumnSpec], user: Any, now: datetime, first: int
    ) -> Flowed:
        """Writes them and the pieces of the change that does so."""
        touched: list[int] = []
        gained = 0
        for plan in self._plans(table):
            # From the first conflict on nothing is written; what else there is of them is still wanted.
            if self.conflicts.count:
                continue
            rows = plan.delta.rows
            delete_rows([key for key, _, after in rows if after is None], user=user, now=now)
            write_rows(plan.contents, columns=columns, user=user, now=now)
            first += keep_pieces(change, pieces_of(plan.delta), first=first)
            gained += sum(was is None for _, was, _ in rows) - sum(after is None for _, _, after in rows)
            touched += [key for key, _, _ in rows[: MOST_ROWS + 1 - len(touched)]]
        self.conflicts.refuse()
        known = table.known_rows
        refuse_too_many(table, gained=gained, count=count_rows(table) if known is None else known + gained)
        return Flowed(gained, touched)

    def _plans(self, table: Table) -> Iterator[UndoPlan]:
        for part in self._parts:
            self._look_at(part)
            rows = locked_rows(table, [key for key, _, _ in part.rows], shape=self._shape)
            plan = plan_undo(
                delta=Delta(rows=part.rows), shape=self._shape, rows=rows, all_rows=tuple, decision=self._decision
            )
            self.conflicts.take(plan.conflicts)
            yield plan


    def _look_at(self, part: Delta) -> None:
        """Any part will do."""


class _NotOnlyAdded(Exception):
    """A change did something else to rows than adding them."""


class RowsGone(RowsTakenBack):
    """The same for rows that all came with the change: they go before its columns do, and are recorded afterwards."""

    _gone: array[int]

    def delete(self, table: Table, *, user: Any, now: datetime) -> bool:
        """Takes the rows out of the table, and counts what that would overwrite; False, and nothing is done, when the
        change did something else to rows as well."""
        self._gone = array("q")
        try:
            with transaction.atomic():
                for plan in self._plans(table):
                    gone = [key for key, _, _ in plan.delta.rows]
                    self._gone.extend(gone)
                    delete_rows(gone, user=user, now=now)
        except _NotOnlyAdded:
            return False
        return True

    def flow(
        self, table: Table, *, change: Change, columns: Sequence[ColumnSpec], user: Any, now: datetime, first: int
    ) -> Flowed:
        """Records what they held."""
        width = len(self._shape.columns)
        at_once = rows_of_a_piece(width) * PIECES_AT_ONCE
        for start in range(0, len(self._gone), at_once):
            ids = self._gone[start : start + at_once].tolist()
            first += keep_cells(change, ids, became="deleted", first=first, columns=width)
        return Flowed(-len(self._gone), self._gone[: MOST_ROWS + 1].tolist())

    def _look_at(self, part: Delta) -> None:
        if any(now is not None for _, _, now in part.rows):
            raise _NotOnlyAdded
