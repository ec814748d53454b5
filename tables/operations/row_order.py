"""Places of rows in the order of a table: how a change records moves, and how undoing it puts the rows back."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tables.exceptions import Fault
from tables.operations.body_reader import Form
from tables.operations.data_plan import Beside
from tables.operations.data_proposal import AFTER_AND_BEFORE, BESIDE
from tables.operations.delta import Delta
from user_messages import Message, declare

Json = dict[str, Any]
# In the entries of a delta, among cells. The ids of columns begin with "col_".
PLACE = "place"
ROW_NAMED_EARLIER = declare("row_named_earlier", "Entry {index} already deals with this row.")
PLACE_NEEDED = declare("place_needed", "Say where the rows go: after_row_id or before_row_id.")
BESIDE_ITSELF = declare("beside_itself", "This row is one of those that move. Name another one.")


class Place(NamedTuple):
    """The position of a row and its neighbours at that time, deleted rows included; None where there is none.

    A position alone means nothing once the positions around it have been spread. `next_id` is never a row that moves
    in the same change.
    """

    position: int
    previous_id: int | None = None
    previous_position: int | None = None
    next_id: int | None = None
    next_position: int | None = None


@dataclass
class RowMoves:
    """New positions by row id, and rows that go beside others, in order; rows of one place follow one another."""

    positions: dict[int, int] = field(default_factory=dict)
    beside: list[tuple[int, Beside]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.positions or self.beside)

    @property
    def row_ids(self) -> list[int]:
        return [*self.positions, *(row_id for row_id, _ in self.beside)]


def read_move(row_ids: Sequence[Any], *, place: Mapping[str, Any]) -> Beside:
    """Return the place to which a request moves rows. Raises Malformed with the paths of a body of `ids`."""
    form = Form()
    form.understood |= {"overlap", "beside_itself"}
    first: dict[int, int] = {}
    for index, row_id in enumerate(row_ids):
        if form.row_id(row_id, path=f"ids[{index}]") and first.setdefault(row_id, index) != index:
            message = ROW_NAMED_EARLIER(index=first[row_id])
            form.fault(path=f"ids[{index}]", code="overlap", message=message, value=row_id)
    given = [name for name in BESIDE if place.get(name) is not None]
    if not given:
        form.fault(path="after_row_id", code="missing", message=PLACE_NEEDED())
    elif len(given) > 1:
        form.fault(path="before_row_id", code="after_and_before", message=AFTER_AND_BEFORE())
    beside = Beside(0, after=True)
    for name in given[:1]:
        beside = Beside(form.row_id(place[name], path=name), after=name == "after_row_id")
        if beside.row_id in first:
            form.fault(path=name, code="beside_itself", message=BESIDE_ITSELF(), value=beside.row_id)
    form.refuse()
    return beside


def with_places(rows: Iterable[list[Any]], *, moved: Mapping[int, tuple[Place, Place]]) -> list[list[Any]]:
    """Return the entries of a delta with the places of moved rows, before and after."""
    found: list[list[Any]] = []
    left = dict(moved)
    for row_id, was, now in rows:
        places = left.pop(row_id, None)
        if places is None:
            found.append([row_id, was, now])
            continue
        pairs = zip((was, now), places, strict=True)
        found.append([row_id, *(cells if cells is None else {**cells, PLACE: [*place]} for cells, place in pairs)])
    return found + [[row_id, {PLACE: [*was]}, {PLACE: [*now]}] for row_id, (was, now) in left.items()]


def split_places(delta: Delta) -> tuple[Delta, dict[int, tuple[Place | None, Place]]]:
    """Return a delta without places, and by row id the place that a move led from, if known, and to."""
    moves: dict[int, tuple[Place | None, Place]] = {}
    rows: list[list[Any]] = []
    for row_id, was, now in delta.rows:
        places = [Place(*cells[PLACE]) if cells and PLACE in cells else None for cells in (was, now)]
        if places == [None, None]:
            rows.append([row_id, was, now])
            continue
        if places[1] is not None:
            moves[row_id] = places[0], places[1]
        was, now = (cells and {key: value for key, value in cells.items() if key != PLACE} for cells in (was, now))
        if was != {} or now != {}:
            rows.append([row_id, was, now])
    return Delta(table=delta.table, columns=delta.columns, order=delta.order, rows=rows), moves


def has_moved(left: Place, *, now: Place) -> bool:
    """Whether a row was moved away from the place that a change gave it.

    Another position alone does not say so: positions are spread, too.
    """
    stays = left.previous_id == now.previous_id or left.next_id == now.next_id
    return left.position != now.position and not stays


def moved_fault(row_id: int, *, message: Message) -> Fault:
    """Return the conflict of an undo with a later move of the same row."""
    return Fault(path=f"{row_id}:{PLACE}", code="row_moved", message=message)


def plan_return(wanted: Mapping[int, Place], *, current: Mapping[int, int]) -> RowMoves:
    """Return how rows get back to the places that they had.

    `current` are the positions of these rows and of the neighbours that still exist. A row gets the position it had,
    unless positions were spread there since: then it goes beside the neighbour that it had.
    """
    planner = _Return(wanted, current=current)
    for row_id in sorted(wanted, key=lambda each: (wanted[each].position, each)):
        planner.place(row_id)
    return planner.moves()


class _Neighbour(NamedTuple):
    """A row beside which another one was. `stays`: it is where it was then; `known`: a row can go beside it."""

    stays: bool = False
    known: bool = False
    position: int | None = None

    def is_before(self, position: int) -> bool:
        """Whether it may still be before a row that gets its old position."""
        return self.stays or not self.known or (self.position is not None and self.position < position)

    def is_after(self, position: int) -> bool:
        """Whether it may still be after a row that gets its old position."""
        return self.stays or not self.known or (self.position is not None and self.position > position)


class _Return:
    def __init__(self, wanted: Mapping[int, Place], *, current: Mapping[int, int]) -> None:
        self.wanted = wanted
        self.current = current
        self.pending = set(wanted)
        self.positions: dict[int, int] = {}
        # Rows that go beside others, in order, and for each of them where it is listed.
        self.groups: dict[Beside, list[int]] = {}
        self.group_of: dict[int, Beside] = {}

    def place(self, row_id: int) -> None:
        """Place a row; those before it are placed already, as it may have to go beside one of them."""
        self.pending.discard(row_id)
        place = self.wanted[row_id]
        previous = self._neighbour(place.previous_id, place.previous_position)
        following = self._neighbour(place.next_id, place.next_position)
        # A neighbour that stays shows that positions mean what they meant, but for those spread on the other side.
        exact = (previous.stays and following.is_after(place.position)) or (
            following.stays and previous.is_before(place.position)
        )
        if not exact and place.previous_id and previous.known and (previous.stays or not following.stays):
            self._put(row_id, beside=place.previous_id, after=True)
        elif not exact and place.next_id and following.known:
            self._put(row_id, beside=place.next_id, after=False)
        elif not exact and place.previous_id and previous.known:
            self._put(row_id, beside=place.previous_id, after=True)
        else:
            self.positions[row_id] = place.position

    def moves(self) -> RowMoves:
        positions = {pk: position for pk, position in self.positions.items() if self.current.get(pk) != position}
        return RowMoves(positions, [(row_id, place) for place, ids in self.groups.items() for row_id in ids])

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
        place = self.group_of.get(beside)
        if place is None:
            place = Beside(beside, after)
            self.groups.setdefault(place, []).append(row_id)
        else:
            ids = self.groups[place]
            ids.insert(ids.index(beside) + after, row_id)
        self.group_of[row_id] = place
