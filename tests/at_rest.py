"""Servers in threads of this process, between tests: what a test began at them ends with it, and nothing goes on."""
from __future__ import annotations

import asyncio

from chat.turns.host import Host, hosts
from chat.turns.leaving import leave

# When a server that never comes to rest is given up; nothing is measured with it.
SECONDS = 120.0


def bring_to_rest() -> None:
    """Returns when no server here runs a turn or asks the database; the next request finds them as they were."""
    for loop, host in hosts():
        asyncio.run_coroutine_threadsafe(_rest(host), loop).result(SECONDS)


async def _rest(host: Host) -> None:
    await leave(host, within=0)
    await host.look_away()
    host.leaving = False
