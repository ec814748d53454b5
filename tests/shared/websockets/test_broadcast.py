"""News that is told to a loop which is just ending: it is lost, as any news may be, and nothing is left behind."""
from __future__ import annotations

import asyncio
import gc
import warnings
from contextvars import Context

from shared.websockets.broadcast import broadcast, broadcast_from_running_loop


def test_what_a_loop_does_not_come_to_any_more_was_never_begun() -> None:
    loop = asyncio.new_event_loop()
    running: list[bool] = []

    def last(_: object) -> None:
        running.append(loop.is_running())
        broadcast("nobody", {"type": "news"})

    async def scene() -> None:
        broadcast_from_running_loop()
        task = asyncio.current_task()
        assert task is not None
        # Called after the loop has been told to stop, in its last round.
        task.add_done_callback(last)

    gc.collect()  # what the tests before left speaks now, or never
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", RuntimeWarning)
        Context().run(loop.run_until_complete, scene())
        loop.close()
        gc.collect()
    assert [str(each.message) for each in warned if each.category is RuntimeWarning] == []
    assert running == [True]
