"""Slots for open streams: limited for each process, and for each user over all processes."""
from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4
from weakref import WeakValueDictionary

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from chat.exceptions import TooMany
from chat.selectors.configuration.catalogue import current_catalogue
from chat.services import refresh_stream_slots, set_stream_slots, take_stream_slot, take_stream_slot_query
from chat.turns.database import in_database
from shared.db import Query
from shared.user_messages import declare

SERVER_FULL = declare(
    "too_many_answers_of_server", "Too many answers are running on this server. Try again in a moment."
)


class StreamSlot:
    """The slot of one open stream. `release` may be awaited any number of times.

    A slot without references is released too: if the client disconnects between the view and the first byte, Django
    drops the response without closing it.
    """

    def __init__(self, release: Callable[[], Any]) -> None:
        self._release = release
        self._released = False
        self._loop = asyncio.get_running_loop()

    async def release(self) -> None:
        """Release the slot; it is free when this returns."""
        if not self._released:
            self._released = True
            await self._release()

    def __del__(self) -> None:
        """May be called in any thread, also after the end of the loop."""
        if not self._released:
            release = self._release
            with suppress(RuntimeError):
                # A loop that is closed raises RuntimeError.
                self._loop.call_soon_threadsafe(lambda: asyncio.ensure_future(release()))


class SlotRequest:
    """A slot that is being taken. `slot` is set at the end."""

    slot: StreamSlot

    def __init__(self, *, process: UUID, user: Any, count: int) -> None:
        self.taken = False
        self._process, self._user, self._count = process, user, count

    def take(self, *, limit: int) -> None:
        """Take the slot in the database, where a user may have `limit` of them. Raises TooMany."""
        take_stream_slot(process=self._process, user=self._user, count=self._count, limit=limit, now=timezone.now())
        self._mark_taken()

    def query(self, *, limit: int) -> Query[TooMany | None]:
        """Return the query that takes the slot within a transaction in which the user is locked."""
        query = take_stream_slot_query(
            process=self._process, user=self._user, count=self._count, limit=limit, now=timezone.now()
        )

        def read(*found: Any) -> TooMany | None:
            # A transaction that is rolled back takes no slot.
            transaction.on_commit(self._mark_taken)
            return query.read(*found)

        return replace(query, read=read)

    def _mark_taken(self) -> None:
        self.taken = True


class StreamSlots:
    """The slots of one process. Changes of one user's slots are stored one after the other."""

    def __init__(self) -> None:
        self.process = uuid4()
        self.held: Counter[Any] = Counter()
        self._pending = 0
        self._locks: WeakValueDictionary[Any, asyncio.Lock] = WeakValueDictionary()

    async def take(self, user: Any) -> StreamSlot:
        """Take a slot for a stream of this user. Raises TooMany."""
        async with self.request(user) as slot_request:
            pass
        return slot_request.slot

    @asynccontextmanager
    async def request(self, user: Any) -> AsyncIterator[SlotRequest]:
        """Yield a request for a slot, which is taken by the end of the block unless that fails. Raises TooMany."""
        # One after the other, or parallel calls of a user could all find the last slot free.
        async with self._user_lock(user.pk):
            count = self.held[user.pk]
            slot_request = SlotRequest(process=self.process, user=user, count=count + 1)
            with self._reserve():
                try:
                    yield slot_request
                    if not slot_request.taken:
                        await in_database(_take_now, slot_request)
                except BaseException:
                    if slot_request.taken:
                        await self._store({user.pk: count})
                    raise
                self.held[user.pk] = count + 1
        slot_request.slot = StreamSlot(lambda: self._free(user.pk))

    async def refresh(self) -> None:
        """Refresh this process's slots in the database, and correct counts that differ."""
        if not self.held:
            return
        now, user_ids = timezone.now(), list(self.held)
        stored = await in_database(refresh_stream_slots, process=self.process, user_ids=user_ids, now=now)
        for user_id in {*stored, *self.held}:
            if stored.get(user_id, 0) != self.held[user_id]:
                async with self._user_lock(user_id):
                    await self._store({user_id: self.held[user_id]})

    async def _free(self, user_id: Any) -> None:
        async with self._user_lock(user_id):
            self.held[user_id] -= 1
            left = self.held[user_id]
            if not left:
                del self.held[user_id]
            await self._store({user_id: left})

    def _user_lock(self, user_id: Any) -> asyncio.Lock:
        """Return the lock for this user's slots; it exists while it is in use."""
        return self._locks.setdefault(user_id, asyncio.Lock())

    @contextmanager
    def _reserve(self) -> Iterator[None]:
        """Reserve room in this process. Raises TooMany."""
        if self.held.total() + self._pending >= settings.CHAT_STREAMS_A_PROCESS:
            raise TooMany(SERVER_FULL(), extra={"retry_after": 5})
        self._pending += 1
        try:
            yield
        finally:
            self._pending -= 1

    async def _store(self, counts: dict[Any, int]) -> None:
        await in_database(set_stream_slots, process=self.process, counts=counts, now=timezone.now())


def _take_now(slot_request: SlotRequest) -> None:
    slot_request.take(limit=current_catalogue().engine.streams_a_user)
