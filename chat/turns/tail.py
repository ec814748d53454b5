"""Follows a turn's events as a stream: from memory where the turn runs here, else from the database."""
from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import aclosing
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone

import strictjson
from chat.selectors import events_after
from chat.services import end_stale_turns
from chat.turns.database import in_database
from chat.turns.host import Host
from chat.turns.log import FINAL, TurnLog
from chat.turns.places import Place
from sockets.credential_watch import credential_watch
from sockets.credentials import Credential

POLL_SECONDS = 0.3
LOOK_SECONDS = 5.0
# A reader that lags gets what it missed in pieces of this size.
BATCH = 200
COMMENT = b": still here\n\n"

Json = dict[str, Any]
# Says an event as its reader is told it.
Tell = Callable[[Json], Json]


def encode(seq: int, event: str) -> str:
    """One server-sent event: its number, and the event, as JSON, on one data line."""
    return f"id: {seq}\ndata: {event}\n\n"


class EventStream:
    """The body of a streamed answer: every event after `after`, then live ones up to the final one.

    It holds its place among the open streams until it is closed; Django closes it however the answer ends. `tell` is
    for a reader who is told anything otherwise than it is kept. A stream whose `credential` no longer holds ends
    without a final event; a client that joins again is refused.
    """

    def __init__(
        self,
        *,
        host: Host,
        turn_id: UUID,
        after: int,
        user_id: Any,
        place: Place | None = None,
        tell: Tell | None = None,
        credential: Credential | None = None,
    ) -> None:
        self._place = place
        self._loop = asyncio.get_running_loop()
        self._pieces = _pieces(
            turn_id, host=host, after=after, user_id=user_id, place=place, tell=tell, credential=credential
        )
        self._ending = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._pieces

    def close(self) -> None:
        """Gives the place among the open streams back; Django may call it from another thread, and twice.

        Where the reader left while a piece was on its way to it, the stream is half read: nobody but us closes it then,
        or much later the garbage collector.
        """
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(lambda: self._loop.create_task(self._end()))

    async def _end(self) -> None:
        if self._ending:
            return
        self._ending = True
        try:
            await self._pieces.aclose()
        finally:
            if self._place is not None:
                await self._place.give_back()


async def _pieces(
    turn_id: UUID,
    *,
    host: Host,
    after: int,
    user_id: Any,
    place: Place | None,
    tell: Tell | None,
    credential: Credential | None,
) -> AsyncGenerator[bytes, None]:
    # No method: a generator that holds its stream and is held by it would leave both to the garbage collector.
    access = Access()
    unwatch = credential_watch(host.clock).add(credential, access.end) if credential else None
    try:
        running = host.running.get(turn_id)
        if running is not None:
            pieces = _from_memory(running.log, host=host, after=after, tell=tell, access=access)
        else:
            pieces = _from_database(turn_id, host=host, after=after, user_id=user_id, tell=tell, access=access)
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece
    except TypeError as error:
        # Django takes it for a body that is not asynchronous, and reports that in its place.
        raise RuntimeError(f"the stream of turn {turn_id} broke") from error
    finally:
        if unwatch is not None:
            unwatch()
        # Before the answer ends: whoever has read it to its end finds the place free.
        if place is not None:
            await place.give_back()


class Access:
    """Whether the reader of a stream may go on; `news` is set when that has ended."""

    def __init__(self) -> None:
        self.ended = False
        self.news = asyncio.Event()

    def end(self) -> None:
        self.ended = True
        self.news.set()


def _encoded(events: Iterable[tuple[int, Json]], *, tell: Tell | None) -> bytes:
    """Events as they are read from the database, as bytes of the stream."""
    return "".join(encode(seq, strictjson.dump(tell(event) if tell else event)) for seq, event in events).encode()


async def _from_memory(
    turn_log: TurnLog, *, host: Host, after: int, tell: Tell | None, access: Access
) -> AsyncGenerator[bytes, None]:
    news = access.news
    due = False

    def comment_due() -> None:
        nonlocal due
        due = True
        news.set()

    turn_log.listen(news)
    heart = asyncio.ensure_future(_beat(comment_due, host=host))
    try:
        while True:
            news.clear()
            while after < turn_log.count and not access.ended:
                batch = turn_log.after(after, most=BATCH) if after >= turn_log.gone else None
                if batch is None:
                    missed = await _missed(turn_log, after=after)
                    if missed:
                        yield _encoded(missed, tell=tell)
                        after = missed[-1][0]
                    if not missed or missed[-1][1]["type"] in FINAL:
                        # Somebody ended or removed the turn elsewhere: that is all that is left of it.
                        return
                    continue
                numbered = enumerate(batch, start=after + 1)
                if tell is None:
                    yield "".join(encode(seq, event) for seq, event in numbered).encode()
                else:
                    yield _encoded(((seq, json.loads(event)) for seq, event in numbered), tell=tell)
                after += len(batch)
            if turn_log.ended or access.ended:
                return
            if due:
                due = False
                yield COMMENT
            await news.wait()
    finally:
        turn_log.leave(news)
        heart.cancel()


async def _missed(turn_log: TurnLog, *, after: int) -> list[tuple[int, Json]]:
    """Some of the events after this one that are no longer in memory; nothing where the database has none."""
    gone = turn_log.gone
    _, found = await in_database(events_after, turn_log.turn_id, seq=after)
    # What is stored behind those may have a gap, of events that the database refused: memory has them all.
    return [(seq, event) for seq, event in found if seq <= gone]


async def _beat(comment_due: Callable[[], None], *, host: Host) -> None:
    while True:
        await host.clock.sleep(settings.CHAT_HEARTBEAT_SECONDS)
        comment_due()


async def _from_database(
    turn_id: UUID, *, host: Host, after: int, user_id: Any, tell: Tell | None, access: Access
) -> AsyncGenerator[bytes, None]:
    """Another process runs the turn, or it has ended: its stored events are read until the final one."""
    said_at = looked_at = host.clock.monotonic()
    while not access.ended:
        running, events = await in_database(events_after, turn_id, seq=after)
        now = host.clock.monotonic()
        if events:
            yield _encoded(events, tell=tell)
            after, said_at = events[-1][0], now
            if events[-1][1]["type"] in FINAL:
                return
            continue
        if not running or host.leaving:
            return
        if now - looked_at >= LOOK_SECONDS:
            looked_at = now
            # The other process may have died: then this is where its turn is ended.
            await in_database(end_stale_turns, user=user_id, now=timezone.now())
            continue
        if now - said_at >= settings.CHAT_HEARTBEAT_SECONDS - POLL_SECONDS:
            said_at = now
            yield COMMENT
        await host.clock.sleep(POLL_SECONDS)
