"""Positions for rows that are put between others: in the gap there, which is widened where it is used up."""
from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db.models import OuterRef, Q, QuerySet, Subquery

from tables.models import POSITION_STEP, Row, Table
from tables.operations.data_plan import Beside
from tables.selectors.conditions import among_ids
from tables.services.locking import IDS_AT_ONCE

# How many rows get new positions where a gap is used up, at least.
SPREAD = 64
# Rows that get new positions are at least this far apart: the next rows find room there.
MIN_GAP = 1_024
CHUNK = 500


class Gap(NamedTuple):
    """Between which positions a row can be put beside another one; None where there is no row on that side."""

    low: int | None
    high: int | None


def positions_beside(table: Table, places: Mapping[int, Beside]) -> dict[int, int]:
    """A position for each index of `places`; what goes to the same place keeps the order of its indexes.

    Belongs in the transaction that locked the table. Most calls take two statements, however many rows there are;
    where a gap is used up, some rows after it move up. Their order stays, so that is no change of the table.
    """
    groups: dict[Beside, list[int]] = {}
    for index in sorted(places):
        groups.setdefault(places[index], []).append(index)
    while True:
        found, full = _filled(table, groups)
        if full is None:
            return found
        _widen(table, full, room=len(groups[full]))


def _filled(table: Table, groups: Mapping[Beside, Sequence[int]]) -> tuple[dict[int, int], Beside | None]:
    """Evenly spread positions in each gap, or the first place whose gap is too small."""
    gaps = _gaps(table, groups)
    found: dict[int, int] = {}
    taken: list[int] = []
    for place, indexes in groups.items():
        low, high = _within(gaps[place], after=place.after, taken=taken)
        whole = POSITION_STEP * (len(indexes) + 1)
        if low is None:
            low = (high or 0) - whole
        elif high is None:
            # At the end: before whatever is added there next.
            high = max(table.next_position * POSITION_STEP, low + whole)
        step = ((high or 0) - low) // (len(indexes) + 1)
        if step < 1:
            return {}, place
        for number, index in enumerate(indexes, start=1):
            found[index] = low + step * number
            insort(taken, found[index])
    return found, None


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


def _gaps(table: Table, places: Mapping[Beside, Sequence[int]]) -> dict[Beside, Gap]:
    """The gap on the wanted side of each row, two rows with one position having none between them."""
    found: dict[Beside, Gap] = {}
    live = Row.objects.filter(table_id=table.pk, deleted_at__isnull=True).exclude(pk=OuterRef("pk"))
    following = live.filter(position__gte=OuterRef("position")).order_by("position", "pk")
    preceding = live.filter(position__lte=OuterRef("position")).order_by("-position", "-pk")
    for after, neighbours in ((True, following), (False, preceding)):
        ids = [place.row_id for place in places if place.after == after]
        if not ids:
            continue
        neighbour = Subquery(neighbours.values("position")[:1])
        for start in range(0, len(ids), IDS_AT_ONCE):
            rows = Row.objects.filter(among_ids(ids[start : start + IDS_AT_ONCE]), table_id=table.pk)
            for pk, position, other in rows.values_list("pk", "position", neighbour):
                found[Beside(pk, after)] = Gap(position, other) if after else Gap(other, position)
    return found


def _widen(table: Table, place: Beside, *, room: int) -> None:
    """Make room for some rows beside one, by giving the rows that follow new positions, evenly apart."""
    row = Row.objects.get(pk=place.row_id)
    behind = Q(position__gt=row.position) | Q(position=row.position, pk__gt=row.pk)
    live = Row.objects.filter(table_id=table.pk, deleted_at__isnull=True)
    if place.after:
        low, moving = row.position, live.filter(behind, position__gte=row.position)
    else:
        before = live.filter(position__lte=row.position).exclude(behind).exclude(pk=row.pk)
        low = before.order_by("-position", "-pk").values_list("position", flat=True)[0]
        moving = live.filter(behind | Q(pk=row.pk), position__gte=row.position)
    window = SPREAD + room
    while True:
        rows, high = _window(table, moving.order_by("position", "pk"), low=low, size=window)
        step = (high - low) // (len(rows) + room + 1)
        if step >= MIN_GAP:
            break
        window *= 2
    for number, each in enumerate(rows, start=room + 1):
        each.position = low + step * number
    Row.objects.bulk_update(rows, ["position"], batch_size=CHUNK)


def _window(table: Table, moving: QuerySet[Row], *, low: int, size: int) -> tuple[list[Row], int]:
    """The first rows of those that move, deleted ones between them included, and the position they end before."""
    found = list(moving.only("pk", "position")[: size + 1])
    if len(found) > size:
        high = found[size].position
    else:
        # Nothing follows: there is as much room as is wanted, and what is added next comes after it.
        high = max(low + POSITION_STEP * (2 * size + 1), table.next_position * POSITION_STEP)
        table.next_position = max(table.next_position, high // POSITION_STEP)
    rows = found[:size]
    # They come back where they were, should they be restored.
    deleted = Row.objects.filter(table_id=table.pk, deleted_at__isnull=False, position__gt=low, position__lt=high)
    rows += deleted.only("pk", "position")
    return sorted(rows, key=lambda row: (row.position, row.pk)), high
