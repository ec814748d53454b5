"""Where tests put their own wire to the model in the place of ours; the clock is handed to a Host."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Seams:
    """`transport` is an httpx2 transport for the model's client, None for the one the settings ask for."""

    def __init__(self) -> None:
        self.transport: Any = None


seams = Seams()


@contextmanager
def use_transport(transport: Any) -> Iterator[None]:
    """Within the block, models are reached through this transport."""
    before, seams.transport = seams.transport, transport
    try:
        yield
    finally:
        seams.transport = before
