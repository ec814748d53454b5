"""Order of rows: how a change records moves, and how undo restores them."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from shared.user_messages import Message, declare
from tables.exceptions import Fault
from tables.operations.body_reader import Form
from tables.operations.changes.delta import Delta
from tables.operations.changes.undo_paths import position_path
from tables.operations.plans.data_plan import RowAnchor
from tables.operations.proposals.data_proposal import AFTER_AND_BEFORE, BESIDE

Json = dict[str, Any]
# Key among the cells of a row in a delta. The ids of columns begin with "col_".
PLACEMENT = "place"
ROW_NAMED_EARLIER = declare("row_named_earlier", "Entry {index} already changes this row.")
POSITION_NEEDED = declare("place_needed", "Set the new position with after_row_id or before_row_id.")
BESIDE_ITSELF = declare("beside_itself", "This row is being moved itself. Choose another one.")


class RowPlacement(NamedTuple):
    """The position of a row and its neighbours at one time, deleted rows included; None if there is none.

    The position alone is not enough, because positions are renumbered when there is no gap left. `next_id` is never a
    row that moves in the same change.
    """

    position: int
    previous_id: int | None = None
    previous_position: int | None = None
    next_id: int | None = None
    next_position: int | None = None


@dataclass
class RowMoves:
    """New positions by row id, and ordered groups of rows to place beside others."""

    positions: dict[int, int] = field(default_factory=dict)
    beside: list[tuple[int, RowAnchor]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.positions or self.beside)

    @property
    def row_ids(self) -> list[int]:
        return [*self.positions, *(row_id for row_id, _ in self.beside)]


def read_move(row_ids: Sequence[Any], *, place: Mapping[str, Any], form: Form) -> RowAnchor:
    """Return the position to which a request moves rows; add faults with the paths of a body of `ids` to `form`.

    The row id of an unknown position is 0.
    """
    form.invalid_codes |= {"overlap", "beside_itself"}
    first: dict[int, int] = {}
    for index, row_id in enumerate(row_ids):
        if form.row_id(row_id, path=f"ids[{index}]") and first.setdefault(row_id, index) != index:
            message = ROW_NAMED_EARLIER(index=first[row_id])
            form.fault(path=f"ids[{index}]", code="overlap", message=message, value=row_id)
    given = [name for name in BESIDE if place.get(name) is not None]
    if not given:
        form.fault(path="after_row_id", code="missing", message=POSITION_NEEDED())
    elif len(given) > 1:
        form.fault(path="before_row_id", code="after_and_before", message=AFTER_AND_BEFORE())
    beside = RowAnchor(0, after=True)
    for name in given[:1]:
        beside = RowAnchor(form.row_id(place[name], path=name), after=name == "after_row_id")
        if beside.row_id in first:
            form.fault(path=name, code="beside_itself", message=BESIDE_ITSELF(), value=beside.row_id)
    return beside


def with_placements(
    rows: Iterable[list[Any]], *, moved: Mapping[int, tuple[RowPlacement, RowPlacement]]
) -> list[list[Any]]:
    """Return the row entries of a delta with the placements of moved rows, before and after."""
    found: list[list[Any]] = []
    left = dict(moved)
    for row_id, was, now in rows:
        placements = left.pop(row_id, None)
        if placements is None:
            found.append([row_id, was, now])
            continue
        pairs = zip((was, now), placements, strict=True)
        cells = [each if each is None else {**each, PLACEMENT: [*placement]} for each, placement in pairs]
        found.append([row_id, *cells])
    return found + [[row_id, {PLACEMENT: [*was]}, {PLACEMENT: [*now]}] for row_id, (was, now) in left.items()]


def split_placements(delta: Delta) -> tuple[Delta, dict[int, tuple[RowPlacement | None, RowPlacement]]]:
    """Return a delta without placements, and by row id the placement before, if known, and after a move."""
    moves: dict[int, tuple[RowPlacement | None, RowPlacement]] = {}
    rows: list[list[Any]] = []
    for row_id, was, now in delta.rows:
        placements = [RowPlacement(*cells[PLACEMENT]) if cells and PLACEMENT in cells else None for cells in (was, now)]
        if placements == [None, None]:
            rows.append([row_id, was, now])
            continue
        if placements[1] is not None:
            moves[row_id] = placements[0], placements[1]
        was, now = (cells and {key: value for key, value in cells.items() if key != PLACEMENT} for cells in (was, now))
        if was != {} or now != {}:
            rows.append([row_id, was, now])
    return Delta(table=delta.table, columns=delta.columns, order=delta.order, rows=rows), moves


def has_moved(left: RowPlacement, *, now: RowPlacement) -> bool:
    """Return whether a row was moved since a change placed it there.

    Another position alone does not mean a move, because positions may be renumbered.
    """
    stays = left.previous_id == now.previous_id or left.next_id == now.next_id
    return left.position != now.position and not stays


def moved_fault(row_id: int, *, message: Message) -> Fault:
    """Return the conflict of an undo with a later move of the same row."""
    return Fault(path=position_path(row_id), code="row_moved", message=message)


def plan_return(wanted: Mapping[int, RowPlacement], *, current: Mapping[int, int]) -> RowMoves:
    """Return how rows return to earlier placements.

    `current` are the positions of these rows and of the neighbours that still exist. A row gets its earlier position,
    unless positions were renumbered there since: then it is placed beside its earlier neighbour.
    """
    planner = _ReturnPlanner(wanted, current=current)
    for row_id in sorted(wanted, key=lambda each: (wanted[each].position, each)):
        planner.place_row(row_id)
    return planner.moves()


class _Neighbour(NamedTuple):
    """A former neighbour of a row. `stays`: its position is unchanged; `known`: it exists or has been placed."""

    stays: bool = False
    known: bool = False
    position: int | None = None

    def is_before(self, position: int) -> bool:
        """Return whether this neighbour can precede a row that gets its earlier position."""
        return self.stays or not self.known or (self.position is not None and self.position < position)

    def is_after(self, position: int) -> bool:
        """Return whether this neighbour can follow a row that gets its earlier position."""
        return self.stays or not self.known or (self.position is not None and self.position > position)


class _ReturnPlanner:
    def __init__(self, wanted: Mapping[int, RowPlacement], *, current: Mapping[int, int]) -> None:
        self.wanted = wanted
        self.current = current
        self.pending = set(wanted)
        self.positions: dict[int, int] = {}
        # Ordered rows to place beside others, and for each row the group it is in.
        self.groups: dict[RowAnchor, list[int]] = {}
        self.group_of: dict[int, RowAnchor] = {}

    def place_row(self, row_id: int) -> None:
        """Place a row. Rows before it must be placed already, because it may be placed beside one of them."""
        self.pending.discard(row_id)
        placement = self.wanted[row_id]
        previous = self._neighbour(placement.previous_id, placement.previous_position)
        following = self._neighbour(placement.next_id, placement.next_position)
        # An unchanged neighbour shows that positions on its side were not renumbered.
        exact = (previous.stays and following.is_after(placement.position)) or (
            following.stays and previous.is_before(placement.position)
        )
        if not exact and placement.previous_id and previous.known and (previous.stays or not following.stays):
            self._put(row_id, beside=placement.previous_id, after=True)
        elif not exact and placement.next_id and following.known:
            self._put(row_id, beside=placement.next_id, after=False)
        elif not exact and placement.previous_id and previous.known:
            self._put(row_id, beside=placement.previous_id, after=True)
        else:
            self.positions[row_id] = placement.position

    def moves(self) -> RowMoves:
        positions = {pk: position for pk, position in self.positions.items() if self.current.get(pk) != position}
        return RowMoves(positions, [(row_id, anchor) for anchor, ids in self.groups.items() for row_id in ids])

    def _neighbour(self, row_id: int | None, then: int | None) -> _Neighbour:
        if row_id is None:
            return _Neighbour(stays=True)
        returns_elsewhere = row_id in self.wanted and self.wanted[row_id].position != then
        if returns_elsewhere or row_id in self.pending or row_id not in self.current:
            return _Neighbour()
        if row_id in self.group_of:
            return _Neighbour(known=True)
        now = self.positions.get(row_id, self.current[row_id])
        return _Neighbour(stays=now == then, known=True, position=now)

    def _put(self, row_id: int, *, beside: int, after: bool) -> None:
        anchor = self.group_of.get(beside)
        if anchor is None:
            anchor = RowAnchor(beside, after)
            self.groups.setdefault(anchor, []).append(row_id)
        else:
            ids = self.groups[anchor]
            ids.insert(ids.index(beside) + after, row_id)
        self.group_of[row_id] = anchor
