"""The places for open streams: so many a process, so many a person over all processes."""
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
from chat.overrides import current_catalogue
from chat.services import keep_places, still_here, take_place, taking_place
from chat.turns.database import in_database
from statements import Question
from user_messages import declare

SERVER_FULL = declare(
    "too_many_answers_of_server", "Too many answers are open on this server. Try again in a moment."
)


class Place:
    """One open stream's. `give_back` may be awaited any number of times.

    A place that nobody has any more is given back, too: who asked may leave between the view and the first byte, and
    Django then forgets the answer without closing it.
    """

    def __init__(self, give_back: Callable[[], Any]) -> None:
        self._give_back = give_back
        self._given_back = False
        self._loop = asyncio.get_running_loop()

    async def give_back(self) -> None:
        """The place is free again when this returns."""
        if not self._given_back:
            self._given_back = True
            await self._give_back()

    def __del__(self) -> None:
        """In any thread, after the loop's end, too."""
        if not self._given_back:
            give_back = self._give_back
            with suppress(RuntimeError):
                # Made by the loop itself: one that is just ending begins nothing.
                self._loop.call_soon_threadsafe(lambda: asyncio.ensure_future(give_back()))


class Taking:
    """A place that is being taken; `place` is there in the end."""

    place: Place

    def __init__(self, *, process: UUID, user: Any, here: int) -> None:
        self.taken = False
        self._process, self._user, self._here = process, user, here

    def take(self, *, most: int) -> None:
        """Says it in the database, where a person may have `most` of them. Raises TooMany."""
        take_place(process=self._process, user=self._user, here=self._here, most=most, now=timezone.now())
        self._said()

    def taking(self, *, most: int) -> Question[TooMany | None]:
        """What says it in the transaction of what the stream is for, in which the person is locked."""
        place = taking_place(process=self._process, user=self._user, here=self._here, most=most, now=timezone.now())

        def read(*found: Any) -> TooMany | None:
            # What is rolled back was not said.
            transaction.on_commit(self._said)
            return place.read(*found)

        return replace(place, read=read)

    def _said(self) -> None:
        self.taken = True


class StreamPlaces:
    """Those of one process. What it holds is said in the database, for each person one thing after another."""

    def __init__(self) -> None:
        self.process = uuid4()
        self.held: Counter[Any] = Counter()
        self._coming = 0
        self._saying: WeakValueDictionary[Any, asyncio.Lock] = WeakValueDictionary()

    async def take(self, user: Any) -> Place:
        """A place for one more stream of this person. Raises TooMany."""
        async with self.taking(user) as taking:
            pass
        return taking.place

    @asynccontextmanager
    async def taking(self, user: Any) -> AsyncIterator[Taking]:
        """A place for one more stream, taken by the end of the block, or not at all if that fails. Raises TooMany."""
        # One after another: sent all at once, calls of a person could all find the last place free.
        async with self._alone(user.pk):
            here = self.held[user.pk]
            taking = Taking(process=self.process, user=user, here=here + 1)
            with self._room():
                try:
                    yield taking
                    if not taking.taken:
                        await in_database(_take_now, taking)
                except BaseException:
                    if taking.taken:
                        await self._say({user.pk: here})
                    raise
                self.held[user.pk] = here + 1
        taking.place = Place(lambda: self._free(user.pk))

    async def keep(self) -> None:
        """Says that this process is there, and what of all it holds is not said as it is."""
        if not self.held:
            return
        said = await in_database(still_here, process=self.process, user_ids=list(self.held), now=timezone.now())
        for user_id in {*said, *self.held}:
            if said.get(user_id, 0) != self.held[user_id]:
                async with self._alone(user_id):
                    await self._say({user_id: self.held[user_id]})

    async def _free(self, user_id: Any) -> None:
        async with self._alone(user_id):
            self.held[user_id] -= 1
            left = self.held[user_id]
            if not left:
                del self.held[user_id]
            await self._say({user_id: left})

    def _alone(self, user_id: Any) -> asyncio.Lock:
        """The lock of what is said of this person; it lives while somebody has it."""
        return self._saying.setdefault(user_id, asyncio.Lock())

    @contextmanager
    def _room(self) -> Iterator[None]:
        """Counts one that is coming among those of the process. Raises TooMany."""
        if self.held.total() + self._coming >= settings.CHAT_STREAMS_A_PROCESS:
            raise TooMany(SERVER_FULL(), extra={"retry_after": 5})
        self._coming += 1
        try:
            yield
        finally:
            self._coming -= 1

    async def _say(self, counts: dict[Any, int]) -> None:
        await in_database(keep_places, process=self.process, counts=counts, now=timezone.now())


def _take_now(taking: Taking) -> None:
    taking.take(most=current_catalogue().engine.streams_a_user)
