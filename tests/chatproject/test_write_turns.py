"""The order in which transactions of a process write to SQLite."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chatproject.sqlite.write_turns import HALF_LIFE, Turn, WriteTurns


class Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_a_client_that_has_hardly_written_goes_before_those_that_write_all_the_time() -> None:
    clock = Clock()
    turns = WriteTurns(clock)
    busy = [turns.take("busy") for _ in range(3)]
    clock.seconds += 2
    other = turns.take("other")
    turns.give_back(busy[0])

    assert (other.granted.is_set(), busy[1].granted.is_set()) == (True, False)
    turns.give_back(other)
    assert (busy[1].granted.is_set(), busy[2].granted.is_set()) == (True, False)


def test_what_a_client_has_written_counts_less_and_less() -> None:
    clock = Clock()
    turns = WriteTurns(clock)
    for client, seconds in (("early", 2.0), ("late", 1.5)):
        turn = turns.take(client)
        clock.seconds += seconds
        turns.give_back(turn)
        clock.seconds += HALF_LIFE
    holder = turns.take(None)
    late, early = turns.take("late"), turns.take("early")
    turns.give_back(holder)

    assert (early.granted.is_set(), late.granted.is_set()) == (True, False)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.integers(0, 5), st.booleans()), max_size=30))
def test_one_turn_is_granted_at_a_time_and_none_is_forgotten(steps: list[Any]) -> None:
    clock = Clock()
    turns = WriteTurns(clock)
    taken: list[Turn] = []
    for client, seconds, gives_up in steps:
        taken.append(turns.take(client))
        clock.seconds += seconds
        if gives_up:
            turns.give_back(taken.pop(0))
        assert [turn.granted.is_set() for turn in taken].count(True) == bool(taken)
    while taken:
        granted = next(turn for turn in taken if turn.granted.is_set())
        taken.remove(granted)
        turns.give_back(granted)
