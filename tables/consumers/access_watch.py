"""Checks the access of event streams to their tables, and notices changes whose messages were lost."""
from __future__ import annotations

import logging
from collections.abc import Callable

from shared.websockets.clock import Clock
from shared.websockets.event_stream import Access
from shared.websockets.periodic import PeriodicTask, PerLoop
from tables.consumers.rooms import CHECK_SECONDS, read_access

logger = logging.getLogger(__name__)


class Follower:
    """The reader of one stream. `version` is that of the last event, `comment_due` whether a heartbeat is due."""

    def __init__(self, table_id: int, *, user_id: int, access: Access) -> None:
        self.table_id = table_id
        self.user_id = user_id
        self.access = access
        self.version: int | None = None
        self.comment_due = False

    def wake_up(self) -> None:
        """Let the stream read the changes after its version."""
        self.access.wake_up.set()


class AccessWatch:
    """Checks all followers of an event loop once a second, with two queries."""

    def __init__(self, clock: Clock) -> None:
        self._followers: set[Follower] = set()
        self._checks = PeriodicTask(self._check, clock=clock, seconds=CHECK_SECONDS, name="table event streams")

    def add(self, follower: Follower) -> Callable[[], None]:
        """Check this follower. Return a function that stops that."""
        self._followers.add(follower)
        self._checks.start()

        def remove() -> None:
            self._followers.discard(follower)
            if not self._followers:
                self._checks.stop()

        return remove

    async def _check(self) -> None:
        followers = list(self._followers)
        try:
            found = await read_access({each.table_id for each in followers}, {each.user_id for each in followers})
        except Exception:
            # While the database is unavailable, no stream is ended.
            logger.exception("could not check permissions of %s event streams", len(followers))
            return
        for each in followers:
            access = found.get(each.table_id)
            if access is None or not access.roles.get(each.user_id):
                each.access.end()
            elif access.version != each.version:
                each.wake_up()


access_watch = PerLoop(AccessWatch)
