"""Stream the events of a turn: from memory if it runs in this process, otherwise from the database."""
from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from chat.selectors import events_after
from chat.services import end_stale_turns
from chat.turns.database import in_database
from chat.turns.event_log import FINAL_TYPES, TurnLog
from chat.turns.runtime import TurnRuntime
from chat.turns.stream_slots import StreamSlot
from shared import strictjson
from shared.websockets.credentials import Credential, credential_watch
from shared.websockets.event_stream import COMMENT, Access, StreamBody, encode

POLL_SECONDS = 0.3
STALE_CHECK_SECONDS = 5.0
# Events in one piece of the stream, for a client that is behind.
BATCH = 200

Json = dict[str, Any]
# Localizes an event for its reader.
LocalizeEvent = Callable[[Json], Json]


class EventStream(StreamBody):
    """The body of a streamed response: the events after number `after`, then live ones up to the final one.

    It holds its stream slot until it is closed. `localize` translates events for the client.
    When `credential` is no longer valid the stream ends without a final event; a client that connects again is refused.
    """

    def __init__(
        self,
        *,
        runtime: TurnRuntime,
        turn_id: UUID,
        after: int,
        user_id: Any,
        slot: StreamSlot | None = None,
        localize: LocalizeEvent | None = None,
        credential: Credential | None = None,
    ) -> None:
        pieces = _pieces(
            turn_id, runtime=runtime, after=after, user_id=user_id, slot=slot, localize=localize, credential=credential
        )
        super().__init__(pieces, on_end=slot.release if slot is not None else None)


async def _pieces(
    turn_id: UUID,
    *,
    runtime: TurnRuntime,
    after: int,
    user_id: Any,
    slot: StreamSlot | None,
    localize: LocalizeEvent | None,
    credential: Credential | None,
) -> AsyncGenerator[bytes, None]:
    # Not a method: a generator that refers to its stream would form a cycle, which only the garbage collector frees.
    access = Access()
    unwatch = credential_watch(runtime.clock).add(credential, access.end) if credential else None
    try:
        running = runtime.running.get(turn_id)
        if running is not None:
            pieces = _from_memory(running.log, runtime=runtime, after=after, localize=localize, access=access)
        else:
            pieces = _from_database(
                turn_id, runtime=runtime, after=after, user_id=user_id, localize=localize, access=access
            )
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece
    except TypeError as error:
        # Django would take a TypeError for a body that is not asynchronous, and report that instead.
        raise RuntimeError(f"the stream of turn {turn_id} failed") from error
    finally:
        if unwatch is not None:
            unwatch()
        # Before the response ends, so that the slot is free for a client that has read it completely.
        if slot is not None:
            await slot.release()


def _encoded(events: Iterable[tuple[int, Json]], *, localize: LocalizeEvent | None) -> bytes:
    """Return events from the database as bytes of the stream."""
    return "".join(
        encode(seq, kind=event["type"], event=strictjson.dumps(localize(event) if localize else event))
        for seq, event in events
    ).encode()


async def _from_memory(
    turn_log: TurnLog, *, runtime: TurnRuntime, after: int, localize: LocalizeEvent | None, access: Access
) -> AsyncGenerator[bytes, None]:
    wake_up = access.wake_up
    comment_requested = False

    def request_comment() -> None:
        nonlocal comment_requested
        comment_requested = True
        wake_up.set()

    turn_log.add_listener(wake_up)
    heartbeat = asyncio.ensure_future(_heartbeat(request_comment, runtime=runtime))
    try:
        while True:
            wake_up.clear()
            while after < turn_log.count and not access.ended:
                batch = turn_log.after(after, limit=BATCH) if after >= turn_log.released else None
                if batch is None:
                    missed = await _missed(turn_log, after=after)
                    if missed:
                        yield _encoded(missed, localize=localize)
                        after = missed[-1][0]
                    if not missed or missed[-1][1]["type"] in FINAL_TYPES:
                        # Another process ended the turn, or it was deleted: there are no more events.
                        return
                    continue
                numbered = enumerate(batch, start=after + 1)
                if localize is None:
                    yield "".join(encode(seq, kind=kind, event=event) for seq, (kind, event) in numbered).encode()
                else:
                    yield _encoded(((seq, json.loads(event)) for seq, (_, event) in numbered), localize=localize)
                after += len(batch)
            if turn_log.ended or access.ended:
                return
            if comment_requested:
                comment_requested = False
                yield COMMENT
            await wake_up.wait()
    finally:
        turn_log.remove_listener(wake_up)
        heartbeat.cancel()


async def _missed(turn_log: TurnLog, *, after: int) -> list[tuple[int, Json]]:
    """Return stored events after this number that are no longer in memory, or with which another process ended it."""
    released, count = turn_log.released, turn_log.count
    _, found = await in_database(events_after, turn_log.turn_id, seq=after)
    # Stored events may have gaps where the database refused some. Those events are in memory.
    return [(seq, event) for seq, event in found if seq <= released or seq > count]


async def _heartbeat(request_comment: Callable[[], None], *, runtime: TurnRuntime) -> None:
    while True:
        await runtime.clock.sleep(settings.CHAT_HEARTBEAT_SECONDS)
        request_comment()


async def _from_database(
    turn_id: UUID, *, runtime: TurnRuntime, after: int, user_id: Any, localize: LocalizeEvent | None, access: Access
) -> AsyncGenerator[bytes, None]:
    """Read stored events up to the final one: another process runs the turn, or it has ended."""
    sent_at = checked_at = runtime.clock.monotonic()
    while not access.ended:
        running, events = await in_database(events_after, turn_id, seq=after)
        now = runtime.clock.monotonic()
        if events:
            yield _encoded(events, localize=localize)
            after, sent_at = events[-1][0], now
            if events[-1][1]["type"] in FINAL_TYPES:
                return
            continue
        if not running or runtime.shutting_down:
            return
        if now - checked_at >= STALE_CHECK_SECONDS:
            checked_at = now
            # The other process may have been killed. In this case, end its turn.
            await in_database(end_stale_turns, user=user_id, now=timezone.now())
            continue
        if now - sent_at >= settings.CHAT_HEARTBEAT_SECONDS - POLL_SECONDS:
            sent_at = now
            yield COMMENT
        await runtime.clock.sleep(POLL_SECONDS)
