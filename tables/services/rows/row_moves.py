"""Moving rows to another position in their table, as one change."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Q

from shared.rare_gc import with_rare_gc
from shared.user_messages import declare
from tables.exceptions import Fault, Invalid, Outdated
from tables.models import Change, Row, Table
from tables.operations.body_reader import Form, is_row_id
from tables.operations.cells import UNKNOWN_ROW
from tables.operations.changes.delta import Delta
from tables.operations.plans.data_plan import RowAnchor
from tables.operations.plans.row_order import RowMoves, read_move
from tables.operations.plans.summaries import moves_summary
from tables.operations.proposals.choice import Origin
from tables.operations.proposals.data_proposal import refuse_versions
from tables.selectors import get_table, table_shape
from tables.services.pipeline.commit import Applied, Effect, Record, commit_change
from tables.services.pipeline.locking import locked_table, locked_versions, refuse_outdated, stored_versions
from tables.services.pipeline.outdated import beside_others, with_further
from tables.services.pipeline.row_positions import positions_of

CANNOT_MOVE = declare("cannot_move", "Some rows cannot be moved; nothing was changed.")
MAX_FAULTS = 100


@with_rare_gc
def move_rows(
    *,
    user: Any,
    table_id: int,
    row_ids: Sequence[Any],
    place: Mapping[str, Any],
    origin: Origin,
    version: int | None = None,
    row_versions: Sequence[int | None] = (),
) -> Applied:
    """Move rows, in their present order, directly after or before another one.

    `place` contains `after_row_id` or `before_row_id`; for a deleted row, its former position is used. `version` is the
    version of the table that the user saw, `row_versions` are those of the rows, None if unknown. Raises Malformed,
    Invalid or Outdated, having written nothing.
    """
    form = Form()
    beside = read_move(row_ids, place=place, form=form)
    if form.faults:
        check_move(
            user=user, table_id=table_id, row_ids=row_ids, place=place, version=version, row_versions=row_versions
        )
    with transaction.atomic():
        table = locked_table(user, table_id)
        with beside_others(lambda: _positions(table, row_ids, beside=beside, versions=row_versions)):
            refuse_outdated(table.version, expected=version)
        positions = _positions(table, row_ids, beside=beside, versions=row_versions)
        in_order = sorted(row_ids, key=lambda row_id: (positions[row_id], row_id))
        change: Change | None = None
        if not _is_in_place(table, in_order, beside=beside, positions=positions):
            shape = table_shape(table)
            moves = RowMoves(beside=[(row_id, beside) for row_id in in_order])
            effect = Effect(before=shape.columns, after=shape.columns, delta=Delta(), moves=moves)
            record = Record(summary=moves_summary(len(in_order)), counts={"move": len(in_order)})
            change, _ = commit_change(table, effect, user=user, origin=origin, record=record)
        return Applied(
            change=change.pk if change else None,
            version=table.version,
            table_id=table.pk,
            table_name=table.name,
            applied=[{"index": index, "row_id": row_id} for index, row_id in enumerate(in_order)],
        )


def check_move(
    *,
    user: Any,
    table_id: int,
    row_ids: Sequence[Any],
    place: Mapping[str, Any],
    version: int | None = None,
    row_versions: Sequence[int | None] = (),
) -> None:
    """Raise the errors of `move_rows`, without a lock and without writing."""
    form = Form()
    beside = read_move(row_ids, place=place, form=form)
    table = get_table(user, table_id, can="edit")

    def check() -> None:
        _positions(table, row_ids, beside=beside, versions=row_versions, read=stored_versions)

    try:
        with beside_others(check):
            refuse_outdated(table.version, expected=version)
        check()
    except (Invalid, Outdated) as error:
        if not form.faults:
            raise
        form.add_further(error)
    form.refuse()


def _positions(
    table: Table,
    row_ids: Sequence[Any],
    *,
    beside: RowAnchor,
    versions: Sequence[int | None],
    read: Callable[[Table, Iterable[int]], dict[int, int]] = locked_versions,
) -> dict[int, int]:
    """Return the positions of the rows, which are locked, and of the anchor. Raises Invalid, and Outdated.

    Values that are not ids of rows are left out.
    """
    ids = [row_id for row_id in row_ids if is_row_id(row_id)]
    live = read(table, ids)
    moved = [
        (f"rows[{index}].version", row_id, live[row_id], version)
        for index, (row_id, version) in enumerate(zip(row_ids, versions, strict=False))
        if version is not None and is_row_id(row_id) and row_id in live
    ]
    positions = positions_of(table, [*live, beside.row_id])
    faults = [
        Fault(path=f"ids[{index}]", code="unknown_row", message=UNKNOWN_ROW(id=row_id), value=row_id)
        for index, row_id in enumerate(row_ids)
        if is_row_id(row_id) and row_id not in live
    ]
    if beside.row_id and beside.row_id not in positions:
        name = "after_row_id" if beside.after else "before_row_id"
        faults.append(Fault(path=name, code="unknown_row", message=UNKNOWN_ROW(id=beside.row_id), value=beside.row_id))
    try:
        refuse_versions(moved)
    except Outdated as error:
        raise with_further(error, faults) from None
    if faults:
        raise Invalid(CANNOT_MOVE(), faults=faults, most=MAX_FAULTS)
    return positions


def _is_in_place(table: Table, in_order: Sequence[int], *, beside: RowAnchor, positions: Mapping[int, int]) -> bool:
    """Return whether the rows are already directly after or before the anchor, with no row in between."""
    first, last, other = ((positions[row_id], row_id) for row_id in (in_order[0], in_order[-1], beside.row_id))
    if (other > first) if beside.after else (other < last):
        return False
    low, high = (other, last) if beside.after else (first, other)
    between = Row.objects.filter(
        Q(position__gt=low[0]) | Q(pk__gte=low[1]), Q(position__lt=high[0]) | Q(pk__lte=high[1]),
        table_id=table.pk, deleted_at__isnull=True, position__gte=low[0], position__lte=high[0],
    )  # fmt: skip
    count = between.exclude(pk=beside.row_id).values("pk")[: len(in_order) + 1].count()
    return count == len(in_order)
