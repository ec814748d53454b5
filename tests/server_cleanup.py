"""Servers in threads of this process, between tests: what a test began at them ends with it, and nothing goes on."""
from __future__ import annotations

import asyncio

from chat.turns.runtime import TurnRuntime, runtimes
from chat.turns.shutdown import shut_down

# When a server that never comes to rest is given up; nothing is measured with it.
SECONDS = 120.0


def bring_to_rest() -> None:
    """Returns when no server here runs a turn or asks the database; the next request finds them as they were."""
    for loop, runtime in runtimes():
        asyncio.run_coroutine_threadsafe(_rest(runtime), loop).result(SECONDS)


async def _rest(runtime: TurnRuntime) -> None:
    await shut_down(runtime, within=0)
    await runtime.stop_background_tasks()
    runtime.shutting_down = False
