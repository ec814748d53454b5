"""Changes of a table as server-sent events: those after a version, then live ones."""
from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import Error

from shared import strictjson
from shared.db.time_limits import time_limit
from shared.events import Event
from shared.websockets.clock import SYSTEM_CLOCK, Clock
from shared.websockets.consumer import MAX_SOCKETS_OF_USER, count_socket
from shared.websockets.credentials import Credential, credential_watch
from shared.websockets.event_stream import COMMENT, RETRY, Access, StreamBody, encode, until_server_ends
from shared.websockets.groups import group_messages
from tables.consumers.access_watch import Follower, access_watch
from tables.consumers.broadcast import group_of
from tables.consumers.events import TableReadyEvent, TableResetEvent, change_event
from tables.exceptions import ChangesExpired, TablesError
from tables.selectors import ChangeFilter, changes_of, get_table

# A client that has missed more changes reads the table again.
MAX_MISSED = 1_000
BATCH = 100
HEARTBEAT_SECONDS = 15
# Messages of the table's group that are about changes or access; the others are about presence.
WAKING = {"table.change", "table.access"}

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class NextEvents:
    """The events after a version, oldest first, and the version after them; `is_current` if there are no more."""

    events: tuple[Event, ...]
    version: int
    is_current: bool = True


def next_events(user: Any, table_id: int, *, after: int | None) -> NextEvents:
    """Read the events after a version; without one, only the current version. Raises NotFound without access."""
    with time_limit(settings.DATABASE_READ_SECONDS, lock_seconds=settings.DATABASE_LOCK_SECONDS):
        table = get_table(user, table_id)
        version = table.version
        if after is None or after == version:
            return NextEvents((), version)
        if after > version:
            return _reset(version, "unknown_version")
        if version - after > MAX_MISSED:
            return _reset(version, "too_many")
        # Versions have no gaps.
        batch = ChangeFilter(after_version=after, before_version=after + BATCH + 1)
        try:
            changes = changes_of(table, only=batch, limit=BATCH)
        except ChangesExpired:
            changes = []
        if not changes:
            return _reset(version, "expired")
    reached = changes[0].version
    return NextEvents(tuple(map(change_event, reversed(changes))), reached, is_current=reached >= version)


def _reset(version: int, reason: Any) -> NextEvents:
    return NextEvents((TableResetEvent(version=version, reason=reason),), version)


# Not in the one thread that Django uses for thread-sensitive work, and without a connection between two reads.
next_events_in_thread = database_sync_to_async(next_events, thread_sensitive=False)


def table_event_stream(
    *, user: Any, table_id: int, after: int | None, credential: Credential, clock: Clock = SYSTEM_CLOCK
) -> StreamBody:
    """Return the body of a response with the events of a table after a version, without one only later ones.

    It ends when the credential or the user's access to the table ends, when the server stops, or when the user has
    opened too many newer streams. Its client connects again, and is refused without access.
    """
    return StreamBody(_pieces(user=user, table_id=table_id, after=after, credential=credential, clock=clock))


async def _pieces(
    *, user: Any, table_id: int, after: int | None, credential: Credential, clock: Clock
) -> AsyncGenerator[bytes, None]:
    access = Access()
    follower = Follower(table_id, user_id=user.pk, access=access)
    async with AsyncExitStack() as stack:
        stack.enter_context(until_server_ends(access))
        for release in (
            credential_watch(clock).add(credential, access.end),
            count_socket(("table events", table_id, user.pk), access.end),
            count_socket(("user", user.pk), access.end, limit=MAX_SOCKETS_OF_USER),
            access_watch(clock).add(follower),
        ):
            stack.callback(release)
        await _subscribe(stack, table_id, on_message=follower.wake_up)
        heartbeat = asyncio.ensure_future(_heartbeat(follower, clock=clock))
        stack.callback(heartbeat.cancel)
        yield RETRY
        is_ready = False
        while not access.ended:
            access.wake_up.clear()
            comment_due, follower.comment_due = follower.comment_due, False
            try:
                found = await next_events_in_thread(user, table_id, after=after)
            except TablesError:
                return
            except Error:
                # Read again at the next check of access, or when a change is made.
                logger.exception("could not read the changes of table %s for a stream", table_id)
            else:
                after = follower.version = found.version
                events = found.events
                if found.is_current and not is_ready:
                    is_ready, events = True, (*events, TableReadyEvent(version=after))
                if events:
                    yield _encoded(events)
                    comment_due = False
                if not found.is_current:
                    continue
            if comment_due:
                yield COMMENT
            await access.wake_up.wait()


async def _subscribe(stack: AsyncExitStack, table_id: int, *, on_message: Callable[[], None]) -> None:
    """Call `on_message` for each change that is made from now on, until the stack is closed."""

    def receive(message: Any) -> None:
        if message["type"] in WAKING:
            on_message()

    try:
        messages = group_messages(get_channel_layer(), group=group_of(table_id), on_message=receive)
        await stack.enter_async_context(messages)
    except Exception:
        logger.exception("the stream of table %s notices changes only when it checks access", table_id)


async def _heartbeat(follower: Follower, *, clock: Clock) -> None:
    while True:
        await clock.sleep(HEARTBEAT_SECONDS)
        follower.comment_due = True
        follower.wake_up()


def _encoded(events: tuple[Any, ...]) -> bytes:
    return "".join(
        encode(event.version, kind=event.type, event=strictjson.dumps(event.as_json())) for event in events
    ).encode()
