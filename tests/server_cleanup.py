"""Stop the turns and background tasks of servers in threads of this process between tests."""
from __future__ import annotations

import asyncio

from chat.turns.runtime import TurnRuntime, runtimes, shut_down

TIMEOUT = 120.0  # seconds


def stop_server_work() -> None:
    """Return when no server here runs a turn or queries the database. They accept requests as before."""
    for loop, runtime in runtimes():
        asyncio.run_coroutine_threadsafe(_stop_work(runtime), loop).result(TIMEOUT)


async def _stop_work(runtime: TurnRuntime) -> None:
    await shut_down(runtime, within=0)
    await runtime.stop_background_tasks()
    runtime.shutting_down = False
