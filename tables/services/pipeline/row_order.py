"""Writes the places of moved rows: where they and their neighbours are, and their new positions."""
from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from django.db.models import F, OuterRef, Subquery

from tables.models import Row, Table
from tables.operations.row_order import RowMoves, RowPlacement
from tables.selectors.conditions import among_ids
from tables.services.pipeline.locking import IDS_AT_ONCE
from tables.services.pipeline.row_positions import following_rows, positions_beside, preceding_rows, write_positions


def move(table: Table, moves: RowMoves, *, user: Any, now: datetime) -> dict[int, tuple[RowPlacement, RowPlacement]]:
    """Give rows of a locked table new positions; return their places before and after by id.

    Belongs in a transaction. The number of statements grows only with every 10,000 rows.
    """
    ids = moves.row_ids
    before = places_of(table, ids)
    write_positions(moves.positions)
    beside = dict(enumerate(place for _, place in moves.beside))
    found = positions_beside(table, beside) if beside else {}
    write_positions({row_id: found[index] for index, (row_id, _) in enumerate(moves.beside)})
    for start in range(0, len(ids), IDS_AT_ONCE):
        rows = Row.objects.filter(among_ids(ids[start : start + IDS_AT_ONCE]))
        rows.update(version=F("version") + 1, updated_at=now, updated_by_id=user.pk)
    after = places_of(table, ids)
    return {row_id: (before[row_id], after[row_id]) for row_id in ids}


def places_of(table: Table, ids: Collection[int]) -> dict[int, RowPlacement]:
    """Return the places of rows of this table, deleted ones included, by id and in order."""
    found = _neighbours(table, ids)
    positions = positions_of(table, (pk for _, *others in found.values() for pk in others if pk is not None))
    places: dict[int, RowPlacement] = {}
    following: dict[int, int | None] = {}
    in_order = sorted(found, key=lambda pk: (found[pk][0], pk))
    for pk in reversed(in_order):
        position, *others = found[pk]
        ordered = sorted((positions[other], other) for other in others if other is not None)
        before = [other for other in ordered if other < (position, pk)]
        after = [other for other in ordered if other > (position, pk)]
        next_id = after[0][1] if after else None
        # The next row that does not move with it.
        following[pk] = following.get(next_id, next_id) if next_id is not None else None
        previous_position, previous_id = before[-1] if before else (None, None)
        places[pk] = RowPlacement(position, previous_id, previous_position, following[pk])
    known = positions | {pk: position for pk, (position, *_) in found.items()}
    return {
        pk: places[pk]._replace(next_position=known.get(places[pk].next_id or 0)) for pk in in_order
    }


def positions_of(table: Table, ids: Iterable[int]) -> dict[int, int]:
    """Return the positions of those of these rows that are stored, deleted ones included."""
    ordered = sorted(set(ids))
    found: dict[int, int] = {}
    for start in range(0, len(ordered), IDS_AT_ONCE):
        rows = Row.objects.filter(among_ids(ordered[start : start + IDS_AT_ONCE]), table_id=table.pk)
        found.update(rows.values_list("pk", "position"))
    return found


def _neighbours(table: Table, ids: Collection[int]) -> dict[int, tuple[int, ...]]:
    """The position of each row, and the ids of the nearest rows on both sides, live and deleted ones."""
    ordered = sorted(ids)
    place = {"position": OuterRef("position"), "pk": OuterRef("pk")}
    parts = [*preceding_rows(table, **place), *following_rows(table, **place)]
    neighbours = [Subquery(rows.values("pk")[:1]) for rows in parts]
    found: dict[int, tuple[int, ...]] = {}
    for start in range(0, len(ordered), IDS_AT_ONCE):
        rows = Row.objects.filter(among_ids(ordered[start : start + IDS_AT_ONCE]), table_id=table.pk)
        for pk, *values in rows.values_list("pk", "position", *neighbours):
            found[pk] = tuple(values)
    return found

