"""Hooks for tests: the transport to the model. The clock is an argument of `TurnRuntime`."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Seams:
    """`transport` is an httpx2 transport for the model's client, or None for the configured one."""

    def __init__(self) -> None:
        self.transport: Any = None


seams = Seams()


@contextmanager
def use_transport(transport: Any) -> Iterator[None]:
    """Use this transport for all models within the block."""
    before, seams.transport = seams.transport, transport
    try:
        yield
    finally:
        seams.transport = before
