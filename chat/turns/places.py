"""The places for open streams: so many a process, so many a person over all processes."""
from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.utils import timezone

from chat.exceptions import TooMany
from chat.services import keep_places, take_place
from chat.turns.database import in_database


class Place:
    """One open stream's. `give_back` may be awaited any number of times; `drop` is for where nothing can be awaited."""

    def __init__(self, give_back: Callable[[], Any]) -> None:
        self._give_back = give_back
        self._loop = asyncio.get_running_loop()
        self._given_back = False

    async def give_back(self) -> None:
        """The place is free again when this returns."""
        if not self._given_back:
            self._given_back = True
            await self._give_back()

    def drop(self) -> None:
        """Gives it back soon; may be called from any thread."""
        if not self._given_back and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(lambda: self._loop.create_task(self.give_back()))


class StreamPlaces:
    """Those of one process. What it holds is said in the database, one thing after another."""

    def __init__(self) -> None:
        self.process = uuid4()
        self.held: Counter[Any] = Counter()
        self._saying = asyncio.Lock()

    async def take(self, user: Any) -> Place:
        """A place for one more stream of this person. Raises TooMany."""
        # One after another: sent all at once, calls could all find the last place free.
        async with self._saying:
            if self.held.total() >= settings.CHAT_STREAMS_A_PROCESS:
                raise TooMany(
                    "Too many answers are open on this server. Try again in a moment.", extra={"retry_after": 5}
                )
            here = self.held[user.pk] + 1
            await in_database(
                take_place,
                process=self.process,
                user=user,
                here=here,
                most=settings.CHAT_STREAMS_A_USER,
                now=timezone.now(),
            )
            self.held[user.pk] = here
        return Place(lambda: self._free(user.pk))

    async def keep(self) -> None:
        """Says that this process is there, and all it holds."""
        async with self._saying:
            if self.held:
                await self._say(dict(self.held))

    async def _free(self, user_id: Any) -> None:
        async with self._saying:
            self.held[user_id] -= 1
            left = {user_id: self.held[user_id]}
            self.held += Counter()  # leaves out who has none
            await self._say(left)

    async def _say(self, counts: dict[Any, int]) -> None:
        await in_database(keep_places, process=self.process, counts=counts, now=timezone.now())
