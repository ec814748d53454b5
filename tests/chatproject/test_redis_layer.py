"""With Redis, news reaches every reader it was meant for, whoever else leaves meanwhile, and nobody it was not."""
from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from typing import Any

import pytest
from django.utils.module_loading import import_string

from chatproject.config.environment import channel_layers
from tests.redis_server import redis_server

# When what does not come is given up; nothing is measured with it.
SECONDS = 60
ROUNDS = 20
Message = dict[str, Any]


@pytest.fixture
def address() -> Iterator[str]:
    """A server that speaks Redis's protocol, without a database."""
    with redis_server() as address:
        yield address


def layer_at(address: str) -> Any:
    """What the settings of a process would give it."""
    settings = channel_layers(address)["default"]
    return import_string(settings["BACKEND"])(**settings["CONFIG"])


async def reader(layer: Any) -> tuple[str, asyncio.Task[Message]]:
    """Somebody in the group, who waits."""
    channel = await layer.new_channel()
    await layer.group_add("table-1", channel)
    return channel, asyncio.create_task(layer.receive(channel))


def run(scene: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(scene, SECONDS))


def test_what_comes_while_somebody_leaves_is_heard_by_those_who_stay(address: str) -> None:
    async def scene() -> list[int]:
        layer, heard = layer_at(address), []
        for number in range(ROUNDS):
            # Whoever came first would read for all of a process, if it were a queue that is read.
            channel, leaving = await reader(layer)
            _, staying = await reader(layer)
            for _ in range(number):
                await asyncio.sleep(0)  # a little later in each round
            sending = asyncio.create_task(layer.group_send("table-1", {"type": "news", "number": number}))
            leaving.cancel()
            await asyncio.wait({leaving})
            await layer.group_discard("table-1", channel)
            await sending
            heard.append((await staying)["number"])
        return heard

    assert run(scene()) == list(range(ROUNDS))


@pytest.mark.parametrize(("here", "there"), [("/0", "/1"), ("", "/7"), ("?db=2", "/3")])
def test_whoever_shares_a_redis_in_another_database_is_not_heard(address: str, here: str, there: str) -> None:
    async def scene() -> Message:
        own, others = layer_at(address + here), layer_at(address + there)
        _, reading = await reader(own)
        await others.group_send("table-1", {"type": "news", "of": "others"})
        await own.group_send("table-1", {"type": "news", "of": "mine"})
        return await reading

    assert run(scene()) == {"type": "news", "of": "mine"}


def test_the_same_database_is_the_same_however_it_is_named(address: str) -> None:
    async def scene() -> Message:
        _, reading = await reader(layer_at(address))
        await layer_at(f"{address}/0").group_send("table-1", {"type": "news"})
        return await reading

    assert run(scene()) == {"type": "news"}
