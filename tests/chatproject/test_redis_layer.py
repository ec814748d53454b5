"""A socket that has gone is let go of, also where the layer below misses that it was told to stop."""
from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from chatproject.redis_layer import StopsWhenTold


class HardOfHearing:
    """A layer that goes on listening when it is cancelled for the first time, as a lost cancellation leaves it."""

    def __init__(self, *, deaf: int = 1) -> None:
        self.listens, self.news, self._deaf = asyncio.Event(), asyncio.Event(), deaf

    async def receive(self, channel: str) -> dict[str, Any]:
        while True:
            self.listens.set()
            try:
                await self.news.wait()
            except asyncio.CancelledError:
                if not self._deaf:
                    raise
                self._deaf -= 1
            else:
                return {"type": "news", "to": channel}


class Layer(StopsWhenTold, HardOfHearing):
    pass


def test_it_hears_what_the_layer_below_hears() -> None:
    @async_to_sync
    async def scene() -> dict[str, Any]:
        layer = Layer()
        layer.news.set()
        return await layer.receive("page")

    assert scene() == {"type": "news", "to": "page"}


@pytest.mark.parametrize("deaf", [0, 1, 2])
def test_it_stops_when_it_is_told_whatever_is_missed_below(deaf: int) -> None:
    @async_to_sync
    async def scene() -> tuple[bool, int]:
        layer = Layer(deaf=deaf)
        listening = asyncio.ensure_future(layer.receive("page"))
        await layer.listens.wait()
        listening.cancel()
        await asyncio.wait({listening})
        return listening.cancelled(), len(asyncio.all_tasks() - {asyncio.current_task()})

    assert scene() == (True, 0)
