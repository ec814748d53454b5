"""The slot of one request, and the turn for large work that its thread may need."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future

from django.http import HttpResponse

from chatproject.client_shares import Shares

# An event loop answers within milliseconds, if it runs.
LOOP_SECONDS = 5.0


class BeginAgain(HttpResponse):
    """In place of a response: the request has ended without an effect, and needs the turn for large work."""

    status_code = 503


class RequestSlot:
    """A slot among those of a client, in which a request that turns out to be large can get the turn for it."""

    def __init__(self, shares: Shares, client: str, *, large: bool) -> None:
        self._shares = shares
        self._client = client
        self._large = large
        self._is_held = False
        self._loop = asyncio.get_running_loop()

    @property
    def has_turn(self) -> bool:
        """Whether the request has the turn for large work."""
        return self._large

    async def acquire(self) -> None:
        """Wait for a slot, unless there is one. Raises AccountsError."""
        if not self._is_held:
            await self._shares.acquire(self._client, large=self._large)
            self._is_held = True

    async def acquire_turn(self) -> None:
        """Exchange the slot for one with the turn for large work, waiting without a slot. Raises AccountsError."""
        self.release()
        self._large = True
        await self.acquire()

    def release(self) -> None:
        """Give the slot back, if there is one, and the turn with it."""
        if self._is_held:
            self._is_held = False
            self._shares.release(self._client, large=self._large)

    def take_turn(self) -> bool:
        """Take the turn for large work if it is free; return whether the request has it. For the request's thread."""
        if self._large:
            return True
        taken: Future[bool] = Future()
        self._loop.call_soon_threadsafe(self._answer, taken)
        try:
            return taken.result(LOOP_SECONDS)
        except TimeoutError:
            return False

    def _answer(self, taken: Future[bool]) -> None:
        self._large = self._large or (self._is_held and self._shares.enlarge())
        taken.set_result(self._large)
