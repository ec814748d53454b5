"""A joined group has started to deliver its messages, also where subscriptions start later."""
from __future__ import annotations

import asyncio
from typing import Any

from channels.layers import InMemoryChannelLayer

from shared.websockets.groups import join_group


class LateLayer(InMemoryChannelLayer):
    """Starts subscriptions in their order, one before each message, as Redis may; earlier messages are lost."""

    def __init__(self) -> None:
        super().__init__()
        self._pending: list[Any] = []
        self._subscribed: set[str] = set()

    async def new_channel(self, prefix: str = "specific.") -> str:
        channel = str(await super().new_channel(prefix))
        self._pending.append(channel)
        return channel

    async def group_add(self, group: str, channel: str) -> None:
        self._pending.append((group, channel))

    async def send(self, channel: str, message: dict[str, Any]) -> None:
        is_subscribed = channel in self._subscribed
        if self._pending:
            await self._start(self._pending.pop(0))
        if is_subscribed:
            await super().send(channel, message)

    async def _start(self, subscription: Any) -> None:
        if isinstance(subscription, tuple):
            await super().group_add(*subscription)
        else:
            self._subscribed.add(subscription)


def test_a_message_after_joining_is_received() -> None:
    async def scenario() -> Any:
        layer = LateLayer()
        channel = await layer.new_channel()
        await join_group(layer, group="table-1", channel=channel)
        await layer.group_send("table-1", {"type": "table.change"})
        return await asyncio.wait_for(layer.receive(channel), 60)

    assert asyncio.run(scenario()) == {"type": "table.change"}


class UnavailableLayer(InMemoryChannelLayer):
    """Loses all messages to channels."""

    async def send(self, channel: str, message: dict[str, Any]) -> None:
        return


def test_a_group_of_an_unavailable_layer_can_be_joined() -> None:
    async def scenario() -> bool:
        layer = UnavailableLayer()
        channel = await layer.new_channel()
        await join_group(layer, group="table-1", channel=channel, seconds=0.01)
        return channel in layer.groups["table-1"]

    assert asyncio.run(scenario())
