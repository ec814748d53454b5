"""Positions for rows that are put between others: in the gap there, which is widened where it is used up."""
from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import OuterRef, Q, QuerySet, Subquery

from shared import strictjson
from tables.models import POSITION_STEP, Row, Table
from tables.operations.data_plan import RowAnchor
from tables.selectors.conditions import among_ids
from tables.services.pipeline.locking import IDS_AT_ONCE

# How many rows get new positions where a gap is used up, at least.
SPREAD = 64
# Rows that get new positions are at least this far apart: the next rows find room there.
MIN_GAP = 1_024
SPARE_ROUNDS = 8
UPDATES = {
    "postgresql": "UPDATE tables_row SET position = (v.pair ->> 1)::bigint"
    " FROM jsonb_array_elements(%s::jsonb) AS v(pair) WHERE tables_row.id = (v.pair ->> 0)::bigint",
    "sqlite": "UPDATE tables_row SET position = json_extract(v.value, '$[1]') FROM json_each(%s) AS v"
    " WHERE tables_row.id = json_extract(v.value, '$[0]')",
}


class Gap(NamedTuple):
    """Between which positions a row can be put beside another one; None where there is no row on that side."""

    low: int | None
    high: int | None


def positions_beside(table: Table, places: Mapping[int, RowAnchor]) -> dict[int, int]:
    """A position for each index of `places`; what goes to the same place keeps the order of its indexes.

    Belongs in the transaction that locked the table. Most calls take two statements, however many rows there are;
    where a gap is used up, some rows after it move up. Their order stays, so that is no change of the table. Deleted
    rows count as neighbours: undo brings them back to their positions.
    """
    groups: dict[RowAnchor, list[int]] = {}
    for index in sorted(places):
        groups.setdefault(places[index], []).append(index)
    # Only rows after a place move, and the first place goes first: each is widened once, two that share a gap twice.
    for _ in range(2 * len(groups) + SPARE_ROUNDS):
        found, full = _filled(table, groups)
        if full is None:
            return found
        _widen(table, full, room=len(places))
    raise RuntimeError(f"There is no room for {len(places)} rows in table {table.pk}.")


def _filled(table: Table, groups: Mapping[RowAnchor, Sequence[int]]) -> tuple[dict[int, int], RowAnchor | None]:
    """Evenly spread positions in each gap, and the first place in the table whose gap is too small."""
    gaps = _gaps(table, groups)
    found: dict[int, int] = {}
    taken: list[int] = []
    full: list[tuple[int, RowAnchor]] = []
    for place, indexes in groups.items():
        low, high = _within(gaps[place], after=place.after, taken=taken)
        if low is None:
            low = (high or 0) - POSITION_STEP * (len(indexes) + 1)
        elif high is None:
            # At the end: before whatever is added there next.
            high = table.next_position * POSITION_STEP
        step = ((high or 0) - low) // (len(indexes) + 1)
        if step < 1:
            full.append((low, place))
            continue
        for number, index in enumerate(indexes, start=1):
            found[index] = low + step * number
            insort(taken, found[index])
    return found, min(full)[1] if full else None


def _within(gap: Gap, *, after: bool, taken: Sequence[int]) -> Gap:
    """What is left of a gap beside its row once others have been given positions in it."""
    if after and gap.low is not None:
        place = bisect_right(taken, gap.low)
        if place < len(taken) and (gap.high is None or taken[place] < gap.high):
            return Gap(gap.low, taken[place])
    elif gap.high is not None:
        place = bisect_left(taken, gap.high) - 1
        if place >= 0 and (gap.low is None or taken[place] > gap.low):
            return Gap(taken[place], gap.high)
    return gap


def _gaps(table: Table, places: Mapping[RowAnchor, Sequence[int]]) -> dict[RowAnchor, Gap]:
    """The gap on the wanted side of each row, two rows with one position having none between them."""
    found: dict[RowAnchor, Gap] = {}
    for after in (True, False):
        ids = [place.row_id for place in places if place.after == after]
        beside = following_rows if after else preceding_rows
        parts = beside(table, position=OuterRef("position"), pk=OuterRef("pk"))
        neighbours = [Subquery(rows.values("position")[:1]) for rows in parts]
        for start in range(0, len(ids), IDS_AT_ONCE):
            rows = Row.objects.filter(among_ids(ids[start : start + IDS_AT_ONCE]), table_id=table.pk)
            for pk, position, *others in rows.values_list("pk", "position", *neighbours):
                there = [other for other in others if other is not None]
                low, high = (position, min(there, default=None)) if after else (max(there, default=None), position)
                found[RowAnchor(pk, after)] = Gap(low, high)
    return found


def following_rows(table: Table, *, position: Any, pk: Any) -> list[QuerySet[Row]]:
    """The rows after a place, in order: those in the table, and the deleted ones, for which there is another index."""
    behind = Q(position__gt=position) | Q(pk__gt=pk)
    rows = Row.objects.filter(behind, table_id=table.pk, position__gte=position).order_by("position", "pk")
    return [rows.filter(deleted_at__isnull=True), rows.filter(deleted_at__isnull=False)]


def preceding_rows(table: Table, *, position: Any, pk: Any) -> list[QuerySet[Row]]:
    """The rows before a place, the nearest first, in the same two parts."""
    before = Q(position__lt=position) | Q(pk__lt=pk)
    rows = Row.objects.filter(before, table_id=table.pk, position__lte=position).order_by("-position", "-pk")
    return [rows.filter(deleted_at__isnull=True), rows.filter(deleted_at__isnull=False)]


def _widen(table: Table, place: RowAnchor, *, room: int) -> None:
    """Make room for some rows beside one, by giving the rows that follow new positions, evenly apart."""
    low, pk = Row.objects.values_list("position", "pk").get(pk=place.row_id)
    if not place.after:
        parts = preceding_rows(table, position=low, pk=pk)
        low, pk = max(pair for rows in parts for pair in rows.values_list("position", "pk")[:1])
    window = SPREAD + room
    while True:
        rows, high = _window(table, low=low, pk=pk, size=window)
        step = (high - low) // (len(rows) + room + 1)
        if step >= max(MIN_GAP, room + 1):
            break
        window *= 2
    write_positions({row.pk: low + step * number for number, row in enumerate(rows, start=room + 1)})


def write_positions(positions: Mapping[int, int]) -> None:
    """Write the positions of rows by id, in a statement for each 10,000 of them."""
    pairs = list(positions.items())
    for start in range(0, len(pairs), IDS_AT_ONCE):
        with connection.cursor() as cursor:
            cursor.execute(UPDATES[connection.vendor], [strictjson.dump(pairs[start : start + IDS_AT_ONCE])])


def _window(table: Table, *, low: int, pk: int, size: int) -> tuple[list[Row], int]:
    """The first rows after a place, deleted ones among them, and the position they end before."""
    parts = [rows.only("pk", "position")[: size + 1] for rows in following_rows(table, position=low, pk=pk)]
    found = sorted(chain(*parts), key=lambda row: (row.position, row.pk))
    if len(found) > size:
        return found[:size], found[size].position
    # Nothing follows: there is as much room as is wanted, and what is added next comes after it.
    high = max(low + POSITION_STEP * (2 * size + 1), table.next_position * POSITION_STEP)
    table.next_position = max(table.next_position, high // POSITION_STEP)
    return found, high
