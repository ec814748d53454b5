"""Groups of channels: joining one without missing a message."""
from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

# After this time a channel layer is considered unavailable.
JOIN_SECONDS = 1.0
# A message that was sent before its subscription started is lost, so it is sent again.
RESEND_SECONDS = 0.05


async def join_group(layer: Any, *, group: str, channel: str, seconds: float = JOIN_SECONDS) -> None:
    """Add a channel to a group, and return when it receives the group's messages: then read what they are about.

    Redis starts a subscription some time after `group_add` has returned. It starts those of a connection in their
    order, so a message that arrives at a channel created later confirms the subscription of the group. It is not sent
    to the group, where every other channel would receive it. A layer that is unavailable loses messages: after some
    `seconds` the group is joined without a confirmation.
    """
    await layer.group_add(group, channel)
    confirmed = asyncio.Event()
    with suppress(TimeoutError):
        async with _receiving(layer, on_message=lambda _: confirmed.set()) as marked, asyncio.timeout(seconds):
            while not confirmed.is_set():
                await layer.send(marked, {"type": "group.joined"})
                with suppress(TimeoutError):
                    await asyncio.wait_for(confirmed.wait(), RESEND_SECONDS)


@asynccontextmanager
async def group_messages(layer: Any, *, group: str, on_message: Callable[[Any], None]) -> AsyncIterator[None]:
    """Pass all messages of a group to `on_message` while the block runs."""
    async with _receiving(layer, on_message=on_message) as channel:
        try:
            await join_group(layer, group=group, channel=channel)
            yield
        finally:
            with suppress(Exception):
                await layer.group_discard(group, channel)


@asynccontextmanager
async def _receiving(layer: Any, *, on_message: Callable[[Any], None]) -> AsyncIterator[str]:
    """Yield a new channel whose messages are passed to `on_message`."""
    channel = await layer.new_channel()
    receiving = asyncio.ensure_future(_receive(layer, channel, on_message=on_message))
    try:
        yield channel
    finally:
        # A layer deletes a channel when the call of `receive` is cancelled.
        receiving.cancel()
        await asyncio.wait({receiving})


async def _receive(layer: Any, channel: str, *, on_message: Callable[[Any], None]) -> None:
    while True:
        on_message(await layer.receive(channel))
