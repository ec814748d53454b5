"""The order in which transactions of a process write to SQLite."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chatproject.backends.sqlite.write_queue import HALF_LIFE, WriteQueue, WriteTicket


class Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_clients_with_few_writes_go_before_busy_ones() -> None:
    clock = Clock()
    queue = WriteQueue(clock)
    busy = [queue.enter("busy") for _ in range(3)]
    clock.seconds += 2
    other = queue.enter("other")
    queue.leave(busy[0])

    assert (other.granted.is_set(), busy[1].granted.is_set()) == (True, False)
    queue.leave(other)
    assert (busy[1].granted.is_set(), busy[2].granted.is_set()) == (True, False)


def test_earlier_writes_count_less_over_time() -> None:
    clock = Clock()
    queue = WriteQueue(clock)
    for client, seconds in (("early", 2.0), ("late", 1.5)):
        turn = queue.enter(client)
        clock.seconds += seconds
        queue.leave(turn)
        clock.seconds += HALF_LIFE
    holder = queue.enter(None)
    late, early = queue.enter("late"), queue.enter("early")
    queue.leave(holder)

    assert (early.granted.is_set(), late.granted.is_set()) == (True, False)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.integers(0, 5), st.booleans()), max_size=30))
def test_turns_are_granted_one_at_a_time_and_none_is_lost(steps: list[Any]) -> None:
    clock = Clock()
    queue = WriteQueue(clock)
    taken: list[WriteTicket] = []
    for client, seconds, gives_up in steps:
        taken.append(queue.enter(client))
        clock.seconds += seconds
        if gives_up:
            queue.leave(taken.pop(0))
        assert [turn.granted.is_set() for turn in taken].count(True) == bool(taken)
    while taken:
        granted = next(turn for turn in taken if turn.granted.is_set())
        taken.remove(granted)
        queue.leave(granted)
