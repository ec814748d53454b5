"""Shut down the turns of a process: give them time to finish, then end them as interrupted."""
from __future__ import annotations

import asyncio
from contextlib import suppress

from chat.turns.runtime import TurnRuntime

# Time limit for storing the ends of interrupted turns.
STORE_SECONDS = 10.0


async def shut_down(runtime: TurnRuntime, *, within: float) -> None:
    """Return when no turn runs in this process and all events are stored.

    Turns that run for longer than `within` seconds, or when `runtime.abort_drain` is set, end as interrupted: their
    text is stored, and users can repeat them. Streams of turns of other processes end at once, and their clients
    connect again to another process.
    """
    runtime.shutting_down = True
    over = asyncio.ensure_future(_turns_over(runtime))
    hurry = asyncio.ensure_future(runtime.abort_drain.wait())
    try:
        with suppress(TimeoutError):
            async with runtime.clock.timeout(within):
                await asyncio.wait({over, hurry}, return_when=asyncio.FIRST_COMPLETED)
        for turn in list(runtime.running.values()):
            turn.abandon()
        with suppress(TimeoutError):
            async with runtime.clock.timeout(STORE_SECONDS):
                await asyncio.shield(over)
    finally:
        over.cancel()
        hurry.cancel()
    await runtime.writer.flush()


async def _turns_over(runtime: TurnRuntime) -> None:
    while tasks := [turn.task for turn in runtime.running.values() if turn.task is not None]:
        await asyncio.wait(tasks)
