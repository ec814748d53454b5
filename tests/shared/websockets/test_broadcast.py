"""Messages broadcast in an event loop that is ending are dropped without leaving a coroutine."""
from __future__ import annotations

import asyncio
import gc
import warnings
from contextvars import Context

from shared.websockets.broadcast import broadcast, broadcast_from_running_loop


def test_a_stopped_loop_leaves_no_unawaited_coroutine() -> None:
    loop = asyncio.new_event_loop()
    running: list[bool] = []

    def send(_: object) -> None:
        running.append(loop.is_running())
        broadcast("nobody", {"type": "news"})

    async def scenario() -> None:
        broadcast_from_running_loop()
        task = asyncio.current_task()
        assert task is not None
        # Called in the last iteration of the loop, after it was stopped.
        task.add_done_callback(send)

    gc.collect()  # warnings about objects of earlier tests are not recorded
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        Context().run(loop.run_until_complete, scenario())
        loop.close()
        gc.collect()
    assert [str(warning.message) for warning in caught if warning.category is RuntimeWarning] == []
    assert running == [True]
