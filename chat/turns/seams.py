"""Where tests put their own model wire and clock in the place of ours."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chat.agent.clock import Clock, SystemClock


class Seams:
    """`transport` is an httpx2 transport for the model's client, None for the network; `clock` is everybody's."""

    def __init__(self) -> None:
        self.transport: Any = None
        self.clock: Clock = SystemClock()


seams = Seams()


@contextmanager
def use_transport(transport: Any) -> Iterator[None]:
    """Within the block, models are reached through this transport."""
    before, seams.transport = seams.transport, transport
    try:
        yield
    finally:
        seams.transport = before


@contextmanager
def use_clock(clock: Clock) -> Iterator[None]:
    """Within the block, turns that begin and streams that are opened go by this clock."""
    before, seams.clock = seams.clock, clock
    try:
        yield
    finally:
        seams.clock = before
