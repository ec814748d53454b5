"""Without Redis, news reaches its reader from whatever thread and event loop it comes."""
from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import pytest

from chatproject.backends.channel_layer import LocalChannelLayer

# When what does not come is given up; nothing is measured with it.
SECONDS = 120


@pytest.fixture
def layer() -> LocalChannelLayer:
    return LocalChannelLayer()


def elsewhere(work: Coroutine[Any, Any, None]) -> None:
    """Runs it to its end in another thread, with an event loop of its own."""
    thread = threading.Thread(target=asyncio.run, args=(work,))
    thread.start()
    thread.join()


def test_a_reader_wakes_for_what_another_thread_sends(layer: LocalChannelLayer) -> None:
    async def scenario() -> dict[str, Any]:
        channel = await layer.new_channel()
        await layer.group_add("table-1", channel)
        reading = asyncio.create_task(layer.receive(channel))
        await asyncio.sleep(0)  # the reader waits now
        elsewhere(layer.group_send("table-1", {"type": "news"}))
        return await asyncio.wait_for(reading, SECONDS)

    assert asyncio.run(scenario()) == {"type": "news"}


def test_a_reader_whose_event_loop_has_ended_is_nobodys_trouble(layer: LocalChannelLayer) -> None:
    async def join() -> None:
        await layer.group_add("table-1", await layer.new_channel())

    elsewhere(join())
    asyncio.run(layer.group_send("table-1", {"type": "news"}))


def test_a_full_channel_does_not_keep_news_from_the_others(layer: LocalChannelLayer) -> None:
    async def scenario() -> int:
        full, other = await layer.new_channel(), await layer.new_channel()
        await layer.group_add("table-1", full)
        for _ in range(layer.capacity):
            await layer.group_send("table-1", {"type": "old"})
        await layer.group_add("table-1", other)
        await layer.group_send("table-1", {"type": "news"})
        return len(await asyncio.wait_for(layer.receive(other), SECONDS))

    assert asyncio.run(scenario()) == 1


def test_the_reader_of_a_full_channel_is_told_that_messages_were_lost(layer: LocalChannelLayer) -> None:
    async def scenario() -> list[str]:
        channel = await layer.new_channel()
        for _ in range(layer.capacity + 1):
            await layer.send(channel, {"type": "news"})
        elsewhere(layer.send(channel, {"type": "from another thread"}))
        await asyncio.sleep(0)
        heard = [await asyncio.wait_for(layer.receive(channel), SECONDS) for _ in range(2)]
        return [message["type"] for message in heard]

    assert asyncio.run(scenario()) == ["socket.overflow", "from another thread"]
