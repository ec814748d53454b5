"""The local channel layer delivers messages between threads and event loops."""
from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import pytest

from chatproject.backends.channel_layer import LocalChannelLayer

SECONDS = 120  # a missing message fails the test after this time


@pytest.fixture
def layer() -> LocalChannelLayer:
    return LocalChannelLayer()


def run_in_thread(coroutine: Coroutine[Any, Any, None]) -> None:
    """Run the coroutine in another thread with its own event loop."""
    thread = threading.Thread(target=asyncio.run, args=(coroutine,))
    thread.start()
    thread.join()


def test_a_message_of_another_thread_wakes_the_reader(layer: LocalChannelLayer) -> None:
    async def scenario() -> dict[str, Any]:
        channel = await layer.new_channel()
        await layer.group_add("table-1", channel)
        reading = asyncio.create_task(layer.receive(channel))
        await asyncio.sleep(0)  # lets the reader start waiting
        run_in_thread(layer.group_send("table-1", {"type": "news"}))
        return await asyncio.wait_for(reading, SECONDS)

    assert asyncio.run(scenario()) == {"type": "news"}


def test_sending_ignores_readers_whose_event_loop_has_ended(layer: LocalChannelLayer) -> None:
    async def join() -> None:
        await layer.group_add("table-1", await layer.new_channel())

    run_in_thread(join())
    asyncio.run(layer.group_send("table-1", {"type": "news"}))


def test_a_full_channel_does_not_block_other_channels(layer: LocalChannelLayer) -> None:
    async def scenario() -> int:
        full, other = await layer.new_channel(), await layer.new_channel()
        await layer.group_add("table-1", full)
        for _ in range(layer.capacity):
            await layer.group_send("table-1", {"type": "old"})
        await layer.group_add("table-1", other)
        await layer.group_send("table-1", {"type": "news"})
        return len(await asyncio.wait_for(layer.receive(other), SECONDS))

    assert asyncio.run(scenario()) == 1


def test_the_reader_of_a_full_channel_receives_an_overflow_message(layer: LocalChannelLayer) -> None:
    async def scenario() -> list[str]:
        channel = await layer.new_channel()
        for _ in range(layer.capacity + 1):
            await layer.send(channel, {"type": "news"})
        run_in_thread(layer.send(channel, {"type": "from another thread"}))
        await asyncio.sleep(0)
        messages = [await asyncio.wait_for(layer.receive(channel), SECONDS) for _ in range(2)]
        return [message["type"] for message in messages]

    assert asyncio.run(scenario()) == ["socket.overflow", "from another thread"]
