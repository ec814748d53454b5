"""A process that is told to end: its turns get some time to come to their end, and are ended truthfully after that."""
from __future__ import annotations

import asyncio
from contextlib import suppress

from chat.turns.host import Host

# So long the database may take for the endings of turns that were interrupted.
STORE_SECONDS = 10.0


async def leave(host: Host, *, within: float) -> None:
    """Returns when no turn runs here any more and all events are stored.

    Turns that take longer than `within` seconds, or than until `host.hurried` is set, end as interrupted: what was
    said is kept, who listens is told, and they can be asked again. Streams of turns that run elsewhere end at once:
    whoever reads them joins again at another process.
    """
    host.leaving = True
    over = asyncio.ensure_future(_turns_over(host))
    hurry = asyncio.ensure_future(host.hurried.wait())
    try:
        with suppress(TimeoutError):
            async with host.clock.timeout(within):
                await asyncio.wait({over, hurry}, return_when=asyncio.FIRST_COMPLETED)
        for turn in list(host.running.values()):
            turn.give_up()
        with suppress(TimeoutError):
            async with host.clock.timeout(STORE_SECONDS):
                await asyncio.shield(over)
    finally:
        over.cancel()
        hurry.cancel()
    await host.writer.flush()


async def _turns_over(host: Host) -> None:
    while tasks := [turn.task for turn in host.running.values() if turn.task is not None]:
        await asyncio.wait(tasks)
