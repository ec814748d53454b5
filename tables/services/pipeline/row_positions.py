"""Positions of rows: of new rows between others, and of moved rows.

A new position is in the gap between two rows; if a gap is used up, the rows after it are moved up.
"""
from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from shared import strictjson
from tables.models import POSITION_STEP, Row, Table
from tables.operations.plans.data_plan import RowAnchor
from tables.operations.plans.row_order import RowMoves, RowPlacement
from tables.selectors.sql.conditions import among_ids
from tables.services.pipeline.locking import IDS_PER_QUERY

# Minimum number of rows that get new positions when a gap is used up.
MIN_MOVED_ROWS = 64
# Minimum distance between new positions, so that further rows can be inserted.
MIN_GAP = 1_024
# Attempts to widen gaps beyond the expected number, after which an error is raised instead of looping forever.
EXTRA_ATTEMPTS = 8
UPDATES = {
    # Not a join with the positions, for the reason given in `row_writing`.
    "postgresql": "UPDATE tables_row AS r SET position = (v.positions ->> r.id::text)::bigint"
    " FROM (SELECT %s::jsonb AS positions) AS v WHERE r.id = ANY(%s::bigint[]) AND r.table_id = %s",
    # The plus sign keeps SQLite from finding the rows by their table.
    "sqlite": "UPDATE tables_row SET position = v.value FROM json_each(%s) AS v"
    " WHERE tables_row.id = CAST(v.key AS INTEGER) AND +tables_row.table_id = %s",
}


class Gap(NamedTuple):
    """The positions between which a row can be inserted; None if there is no row on that side."""

    low: int | None
    high: int | None


def positions_beside(table: Table, anchors: Mapping[int, RowAnchor]) -> dict[int, int]:
    """Return a position for each index of `anchors`; equal anchors keep the order of their indexes.

    Must run in the transaction that locked the table. Most calls take two queries for any number of rows. If a gap is
    used up, some rows after it get higher positions; their order does not change, so this is not recorded as a change.
    Deleted rows count as neighbours, because undo restores them at their positions.
    """
    groups: dict[RowAnchor, list[int]] = {}
    for index in sorted(anchors):
        groups.setdefault(anchors[index], []).append(index)
    # Only rows after an anchor get new positions, and the first anchor is handled first, so each gap is widened once;
    # a gap between two anchors twice.
    for _ in range(2 * len(groups) + EXTRA_ATTEMPTS):
        found, full = _filled(table, groups)
        if full is None:
            return found
        _widen(table, full, room=len(anchors))
    raise RuntimeError(f"No free positions for {len(anchors)} rows in table {table.pk}.")


def _filled(table: Table, groups: Mapping[RowAnchor, Sequence[int]]) -> tuple[dict[int, int], RowAnchor | None]:
    """Return evenly spread positions in each gap, and the first anchor whose gap is too small."""
    gaps = _gaps(table, groups)
    found: dict[int, int] = {}
    taken: list[int] = []
    full: list[tuple[int, RowAnchor]] = []
    for anchor, indexes in groups.items():
        low, high = _within(gaps[anchor], after=anchor.after, taken=taken)
        if low is None:
            low = (high or 0) - POSITION_STEP * (len(indexes) + 1)
        elif high is None:
            # At the end of the table, before the position of the next appended row.
            high = table.next_position * POSITION_STEP
        step = ((high or 0) - low) // (len(indexes) + 1)
        if step < 1:
            full.append((low, anchor))
            continue
        for number, index in enumerate(indexes, start=1):
            found[index] = low + step * number
            insort(taken, found[index])
    return found, min(full)[1] if full else None


def _within(gap: Gap, *, after: bool, taken: Sequence[int]) -> Gap:
    """Return the unused part of a gap next to its row after others have been given positions in it."""
    if after and gap.low is not None:
        index = bisect_right(taken, gap.low)
        if index < len(taken) and (gap.high is None or taken[index] < gap.high):
            return Gap(gap.low, taken[index])
    elif gap.high is not None:
        index = bisect_left(taken, gap.high) - 1
        if index >= 0 and (gap.low is None or taken[index] > gap.low):
            return Gap(taken[index], gap.high)
    return gap


def _gaps(table: Table, anchors: Mapping[RowAnchor, Sequence[int]]) -> dict[RowAnchor, Gap]:
    """Return the gap on the requested side of each row; none between rows with the same position."""
    found: dict[RowAnchor, Gap] = {}
    for after in (True, False):
        ids = [anchor.row_id for anchor in anchors if anchor.after == after]
        beside = following_rows if after else preceding_rows
        parts = beside(table, position=OuterRef("position"), pk=OuterRef("pk"))
        neighbours = [Subquery(rows.values("position")[:1]) for rows in parts]
        for start in range(0, len(ids), IDS_PER_QUERY):
            rows = Row.objects.filter(among_ids(ids[start : start + IDS_PER_QUERY]), table_id=table.pk)
            for pk, position, *others in rows.values_list("pk", "position", *neighbours):
                neighbour_positions = [other for other in others if other is not None]
                if after:
                    gap = Gap(position, min(neighbour_positions, default=None))
                else:
                    gap = Gap(max(neighbour_positions, default=None), position)
                found[RowAnchor(pk, after)] = gap
    return found


def following_rows(table: Table, *, position: Any, pk: Any) -> list[QuerySet[Row]]:
    """Return the rows after a position, in order: live ones, and deleted ones, which have another index."""
    following = Q(position__gt=position) | Q(pk__gt=pk)
    rows = Row.objects.filter(following, table_id=table.pk, position__gte=position).order_by("position", "pk")
    return [rows.filter(deleted_at__isnull=True), rows.filter(deleted_at__isnull=False)]


def preceding_rows(table: Table, *, position: Any, pk: Any) -> list[QuerySet[Row]]:
    """Return the rows before a position, the nearest first, in the same two parts."""
    preceding = Q(position__lt=position) | Q(pk__lt=pk)
    rows = Row.objects.filter(preceding, table_id=table.pk, position__lte=position).order_by("-position", "-pk")
    return [rows.filter(deleted_at__isnull=True), rows.filter(deleted_at__isnull=False)]


def _widen(table: Table, anchor: RowAnchor, *, room: int) -> None:
    """Widen the gap after a row by giving the following rows new, evenly spread positions."""
    low, pk = Row.objects.values_list("position", "pk").get(pk=anchor.row_id, table_id=table.pk)
    if not anchor.after:
        parts = preceding_rows(table, position=low, pk=pk)
        low, pk = max(pair for rows in parts for pair in rows.values_list("position", "pk")[:1])
    window = MIN_MOVED_ROWS + room
    while True:
        rows, high = _window(table, low=low, pk=pk, size=window)
        step = (high - low) // (len(rows) + room + 1)
        if step >= max(MIN_GAP, room + 1):
            break
        window *= 2
    write_positions(table, {row.pk: low + step * number for number, row in enumerate(rows, start=room + 1)})


def write_positions(table: Table, positions: Mapping[int, int]) -> None:
    """Write the positions of rows of this table by id, in one query per 10,000 rows."""
    pairs = list(positions.items())
    for start in range(0, len(pairs), IDS_PER_QUERY):
        part = dict(pairs[start : start + IDS_PER_QUERY])
        ids = [list(part)] if connection.vendor == "postgresql" else []
        with connection.cursor() as cursor:
            cursor.execute(UPDATES[connection.vendor], [strictjson.dumps(part), *ids, table.pk])


def _window(table: Table, *, low: int, pk: int, size: int) -> tuple[list[Row], int]:
    """Return the first rows after a position, deleted ones included, and the position that ends them."""
    parts = [rows.only("pk", "position")[: size + 1] for rows in following_rows(table, position=low, pk=pk)]
    found = sorted(chain(*parts), key=lambda row: (row.position, row.pk))
    if len(found) > size:
        return found[:size], found[size].position
    # No row follows, so the gap is unlimited; appended rows get positions after it.
    high = max(low + POSITION_STEP * (2 * size + 1), table.next_position * POSITION_STEP)
    table.next_position = max(table.next_position, high // POSITION_STEP)
    return found, high


def move_rows(
    table: Table, moves: RowMoves, *, user: Any, now: datetime
) -> dict[int, tuple[RowPlacement, RowPlacement]]:
    """Give rows of a locked table new positions; return their placements before and after by id.

    Must run in a transaction. The number of queries grows only with every 10,000 rows.
    """
    ids = moves.row_ids
    before = placements_of(table, ids)
    write_positions(table, moves.positions)
    beside = dict(enumerate(anchor for _, anchor in moves.beside))
    found = positions_beside(table, beside) if beside else {}
    write_positions(table, {row_id: found[index] for index, (row_id, _) in enumerate(moves.beside)})
    for start in range(0, len(ids), IDS_PER_QUERY):
        rows = Row.objects.filter(among_ids(ids[start : start + IDS_PER_QUERY]), table_id=table.pk)
        rows.update(version=F("version") + 1, updated_at=now, updated_by_id=user.pk)
    after = placements_of(table, ids)
    return {row_id: (before[row_id], after[row_id]) for row_id in ids}


def placements_of(table: Table, ids: Collection[int]) -> dict[int, RowPlacement]:
    """Return the placements of rows of this table, deleted ones included, by id and in order."""
    found = _neighbours(table, ids)
    positions = positions_of(table, (pk for _, *others in found.values() for pk in others if pk is not None))
    placements: dict[int, RowPlacement] = {}
    following: dict[int, int | None] = {}
    in_order = sorted(found, key=lambda pk: (found[pk][0], pk))
    for pk in reversed(in_order):
        position, *others = found[pk]
        ordered = sorted((positions[other], other) for other in others if other is not None)
        before = [other for other in ordered if other < (position, pk)]
        after = [other for other in ordered if other > (position, pk)]
        next_id = after[0][1] if after else None
        # The next row that is not moved as well.
        following[pk] = following.get(next_id, next_id) if next_id is not None else None
        previous_position, previous_id = before[-1] if before else (None, None)
        placements[pk] = RowPlacement(position, previous_id, previous_position, following[pk])
    known = positions | {pk: position for pk, (position, *_) in found.items()}
    return {pk: placements[pk]._replace(next_position=known.get(placements[pk].next_id or 0)) for pk in in_order}


def positions_of(table: Table, ids: Iterable[int]) -> dict[int, int]:
    """Return the positions of those of these rows that are stored, deleted ones included."""
    ordered = sorted(set(ids))
    found: dict[int, int] = {}
    for start in range(0, len(ordered), IDS_PER_QUERY):
        rows = Row.objects.filter(among_ids(ordered[start : start + IDS_PER_QUERY]), table_id=table.pk)
        found.update(rows.values_list("pk", "position"))
    return found


def _neighbours(table: Table, ids: Collection[int]) -> dict[int, tuple[int, ...]]:
    """Return the position of each row, and the ids of the nearest rows on both sides, deleted ones too."""
    ordered = sorted(ids)
    row = {"position": OuterRef("position"), "pk": OuterRef("pk")}
    parts = [*preceding_rows(table, **row), *following_rows(table, **row)]
    neighbours = [Subquery(rows.values("pk")[:1]) for rows in parts]
    found: dict[int, tuple[int, ...]] = {}
    for start in range(0, len(ordered), IDS_PER_QUERY):
        rows = Row.objects.filter(among_ids(ordered[start : start + IDS_PER_QUERY]), table_id=table.pk)
        for pk, *values in rows.values_list("pk", "position", *neighbours):
            found[pk] = tuple(values)
    return found
