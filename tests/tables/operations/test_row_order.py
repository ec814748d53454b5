"""Moved rows return to their earlier order, also after positions were spread."""
from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.operations.changes.delta import Delta
from tables.operations.plans.data_plan import RowAnchor
from tables.operations.plans.row_order import RowMoves, RowPlacement, plan_return, split_placements, with_placements

Positions = dict[int, int]
IDS = range(1, 7)
# A step so small that the numbers between rows are used up after two moves.
STEP = 4


def order(positions: Positions) -> list[int]:
    return sorted(positions, key=lambda row_id: (positions[row_id], row_id))


def spread(positions: Positions, *, first: int) -> None:
    """Assign new positions to the rows from this index on."""
    rows = order(positions)
    low = positions[rows[first - 1]] if first else positions[rows[0]]
    for number, row_id in enumerate(rows[first:], start=1):
        positions[row_id] = low + STEP * number


def put(positions: Positions, ids: Sequence[int], *, beside: RowAnchor, gap: int = STEP) -> None:
    """Put rows beside another one; spread positions if there is no room."""
    while True:
        rows = order(positions)
        index = rows.index(beside.row_id) + beside.after
        low = positions[rows[index - 1]] if index else positions[rows[0]] - gap * (len(ids) + 1)
        high = positions[rows[index]] if index < len(rows) else low + gap * (len(ids) + 1)
        step = (high - low) // (len(ids) + 1)
        if step:
            break
        for number, row_id in enumerate(rows[index:], start=1):
            positions[row_id] = low + gap * (len(ids) + 1) * number
    for number, row_id in enumerate(ids, start=1):
        positions[row_id] = low + step * number


def place(positions: Positions, row_id: int, *, moved: Sequence[int]) -> RowPlacement:
    rows = order(positions)
    index = rows.index(row_id)
    previous = rows[index - 1] if index else None
    following = next((each for each in rows[index + 1 :] if each not in moved), None)
    return RowPlacement(
        positions[row_id], previous, positions[previous] if previous else None,
        following, positions[following] if following else None,
    )  # fmt: skip


def move(positions: Positions, ids: Sequence[int], *, beside: RowAnchor, gap: int = STEP) -> dict[int, RowPlacement]:
    """Move rows in their current order and return their earlier placements."""
    before = {row_id: place(positions, row_id, moved=ids) for row_id in ids}
    put(positions, sorted(ids, key=lambda row_id: (positions[row_id], row_id)), beside=beside, gap=gap)
    return before


def undo_move(positions: Positions, places: dict[int, RowPlacement]) -> None:
    moves = plan_return(places, current=positions)
    positions |= moves.positions
    for beside in dict.fromkeys(beside for _, beside in moves.beside):
        put(positions, [row_id for row_id, each in moves.beside if each == beside], beside=beside)


steps = st.tuples(
    st.sets(st.sampled_from(IDS), min_size=1, max_size=4), st.sampled_from(IDS), st.booleans(),
    st.none() | st.integers(0, len(IDS) - 1),
)  # fmt: skip


@given(st.lists(steps, max_size=8))
def test_undoing_moves_one_by_one_restores_the_order(
    steps: list[tuple[set[int], int, bool, int | None]],
) -> None:
    positions = {row_id: STEP * row_id for row_id in IDS}
    done = []
    for ids, other, after, spread_at in steps:
        if other in ids:
            continue
        before = order(positions)
        done.append((before, move(positions, sorted(ids), beside=RowAnchor(other, after))))
        if spread_at is not None:
            spread(positions, first=spread_at)
    for before, places in reversed(done):
        undo_move(positions, places)
        assert order(positions) == before


def test_a_row_returns_beside_the_unmoved_neighbour() -> None:
    for moved, beside in ((1, RowAnchor(6, after=True)), (3, RowAnchor(6, after=True))):
        positions = {row_id: STEP * row_id for row_id in IDS}
        places = move(positions, [2], beside=RowAnchor(5, after=True))
        move(positions, [moved], beside=beside)
        undo_move(positions, places)
        rows = order(positions)
        assert rows.index(2) == (0 if moved == 1 else 1)


@given(st.lists(steps, max_size=6))
def test_undoing_moves_together_restores_the_positions(
    steps: list[tuple[set[int], int, bool, int | None]],
) -> None:
    # A gap so wide that no move uses up the numbers, which would spread the positions of rows that were not moved.
    gap = 1_000_000
    positions = {row_id: gap * row_id for row_id in IDS}
    before = dict(positions)
    places: dict[int, RowPlacement] = {}
    for ids, other, after, _ in steps:
        if other not in ids:
            # The first placement of each row.
            places = move(positions, sorted(ids), beside=RowAnchor(other, after), gap=gap) | places
    undo_move(positions, places)
    assert positions == before


@pytest.mark.parametrize("others", [{1: 4, 3: 16}, {1: 2, 3: 12}, {1: 4}, {3: 12}])
def test_a_row_gets_its_old_position_while_one_neighbour_is_unmoved(others: Positions) -> None:
    places = {2: RowPlacement(8, previous_id=1, previous_position=4, next_id=3, next_position=12)}
    assert plan_return(places, current={2: 20, **others}) == RowMoves(positions={2: 8})


def test_rows_with_their_old_position_are_not_moved() -> None:
    places = {1: RowPlacement(4, next_id=3, next_position=12), 2: RowPlacement(8, previous_id=1, previous_position=4)}
    assert plan_return(places, current={1: 4, 2: 9, 3: 12}) == RowMoves(positions={2: 8})


def test_placements_are_separated_from_other_row_changes() -> None:
    rows = [[1, {"col_a": 1}, {"col_a": 2}], [2, {"col_a": 3}, {"col_a": 4}], [3, {"col_a": 5}, None]]
    moved = {
        2: (RowPlacement(8, previous_id=1), RowPlacement(16)),
        4: (RowPlacement(12), RowPlacement(4, next_id=1, next_position=8)),
    }
    delta, found = split_placements(Delta(rows=with_placements(rows, moved=moved)))
    assert (delta.rows, found) == (rows, moved)
