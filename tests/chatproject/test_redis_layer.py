"""The channel layer in Redis delivers messages to all readers of a group, and continues after an outage."""
from __future__ import annotations

import asyncio
import socket
from collections.abc import Coroutine, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils.module_loading import import_string

from chatproject.config.environment import channel_layers
from tests.conftest import Api
from tests.redis_server import redis_server
from tests.tables.consumers.sockets import real_page, session_of
from tests.tables.shared_table import make_table

SECONDS = 60  # a missing message fails the test after this time
REPEAT_SECONDS = 0.5
ROUNDS = 20
Message = dict[str, Any]


@pytest.fixture
def url() -> Iterator[str]:
    """Return the URL of a Redis server."""
    with redis_server() as url:
        yield url


def layer_at(url: str) -> Any:
    """Return the channel layer that the settings of a process would create."""
    settings = channel_layers(url)["default"]
    return import_string(settings["BACKEND"])(**settings["CONFIG"])


async def reader(layer: Any) -> tuple[str, asyncio.Task[Message]]:
    """Add a channel to the group; return its name and a task that waits for a message."""
    channel = await layer.new_channel()
    await layer.group_add("table-1", channel)
    return channel, asyncio.create_task(layer.receive(channel))


async def receive_from(layer: Any, reading: asyncio.Task[Message], message: Message) -> Message:
    """Send the message until it is read: the server may handle it before the subscription, on another connection."""
    while not reading.done():
        await layer.group_send("table-1", message)
        await asyncio.wait({reading}, timeout=REPEAT_SECONDS)
    return reading.result()


def run(scenario: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(scenario, SECONDS))


def test_messages_are_delivered_while_another_reader_leaves(url: str) -> None:
    async def scenario() -> list[int]:
        layer, numbers = layer_at(url), []
        _, first = await reader(layer)
        await receive_from(layer, first, {"type": "news"})
        for number in range(ROUNDS):
            # If readers of a process shared a queue, the first one would take the messages of all.
            channel, leaving = await reader(layer)
            _, staying = await reader(layer)
            for _ in range(number):
                await asyncio.sleep(0)  # cancels a little later in each round
            sending = asyncio.create_task(layer.group_send("table-1", {"type": "news", "number": number}))
            leaving.cancel()
            await asyncio.wait({leaving})
            await layer.group_discard("table-1", channel)
            await sending
            numbers.append((await staying)["number"])
        return numbers

    assert run(scenario()) == list(range(ROUNDS))


@pytest.mark.parametrize(("own_path", "other_path"), [("/0", "/1"), ("", "/7"), ("?db=2", "/3")])
def test_databases_of_one_redis_are_separate(url: str, own_path: str, other_path: str) -> None:
    async def scenario() -> Message:
        own, others = layer_at(url + own_path), layer_at(url + other_path)
        _, reading = await reader(own)
        await others.group_send("table-1", {"type": "news", "of": "others"})
        return await receive_from(own, reading, {"type": "news", "of": "mine"})

    assert run(scenario()) == {"type": "news", "of": "mine"}


def test_the_default_database_is_database_zero(url: str) -> None:
    async def scenario() -> Message:
        _, reading = await reader(layer_at(url))
        return await receive_from(layer_at(f"{url}/0"), reading, {"type": "news"})

    assert run(scenario()) == {"type": "news"}


def test_subscriptions_from_an_outage_receive_messages_when_redis_is_back(caplog: pytest.LogCaptureFixture) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    async def scenario() -> Message:
        layer = layer_at(f"redis://127.0.0.1:{port}")
        _, reading = await reader(layer)
        _, leaving = await reader(layer)
        leaving.cancel()
        await layer.group_send("table-1", {"type": "news", "of": "the outage"})
        with redis_server(port):
            return await receive_from(layer, reading, {"type": "news", "of": "mine"})

    assert run(scenario()) == {"type": "news", "of": "mine"}
    levels = [record.levelname for record in caplog.records if "Redis" in record.message]
    assert levels == ["ERROR", "WARNING"]


@pytest.mark.django_db(transaction=True)
def test_a_socket_without_redis_receives_changes(live_server_url: str, user: User, settings: Any) -> None:
    # No server listens on port 1.
    settings.CHANNEL_LAYERS = channel_layers("redis://127.0.0.1:1/0")
    api = Api(user)
    table = make_table(api)
    with real_page(live_server_url, table.split("/")[3], session=session_of(user)) as page:
        page.receive("presence")
        api.post(f"{table}rows/", {"Company": "Crux"})
        assert page.receive("change")["rows"] == "many"
