"""The limit of open sockets of a process and its close code."""

from __future__ import annotations

import asyncio
import resource
from typing import Any

from chatproject.server.sockets import max_sockets, with_socket_limit


def test_sockets_above_the_limit_are_refused_until_one_closes(settings: Any) -> None:
    settings.SOCKETS_A_PROCESS = 2

    async def scenario() -> None:
        leave = asyncio.Event()

        async def app(scope: Any, receive: Any, send: Any) -> None:
            await send("served")
            await leave.wait()

        limited = with_socket_limit(app)

        async def connect() -> list[Any]:
            sent: list[Any] = []

            async def receive() -> Any:
                return {"type": "websocket.connect"}

            async def send(message: Any) -> None:
                sent.append(message)

            tasks.append(asyncio.ensure_future(limited({"type": "websocket"}, receive, send)))
            await asyncio.sleep(0)
            return sent

        tasks: list[asyncio.Future[None]] = []
        refused = [{"type": "websocket.accept"}, {"type": "websocket.close", "code": 4503}]
        assert [await connect() for _ in range(3)] == [["served"], ["served"], refused]
        # Refused and disconnected sockets do not count.
        tasks[0].cancel()
        await asyncio.wait({tasks[0]})
        assert [await connect() for _ in range(2)] == [["served"], refused]
        leave.set()
        await asyncio.gather(*tasks[1:])

    asyncio.run(scenario())


def test_sockets_leave_half_of_the_open_files_for_other_work(settings: Any) -> None:
    settings.SOCKETS_A_PROCESS = 10**9
    assert max_sockets() == resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2
