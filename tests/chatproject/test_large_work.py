"""Requests that turn out to change many rows: one at a time, and those that wait hold nothing meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.exceptions import AccountsError, Busy, TooMany
from chatproject.limits.memory import MB
from chatproject.limits.request_slots import RequestSlot, SlotPool
from chatproject.middleware.request_limits import RequestLimitMiddleware
from shared.db.large_work import LargeWorkBusy, lock_large_work

SECONDS = 60.0


class View(APIView):
    """Reads its body before it works."""

    authentication_classes = permission_classes = ()
    work: Callable[[str], None] = print

    def post(self, request: Request) -> Response:
        body = request.data
        self.work(request.path)
        return Response(body)


class Requests:
    """Requests by path, each in a thread of its own, that work until the event of their path is set.

    `steps` has their paths: "/path" when it begins, "/path works" when it has its turn or, if small, needs none.
    """

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.go: dict[str, Event] = {}
        self._limits = RequestLimitMiddleware(self._respond)
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()

    async def _respond(self, request: HttpRequest) -> HttpResponse:
        """Do what Django does."""
        view = View.as_view(work=self._work)
        refusal: HttpResponse | None = await self._limits.process_view(request, view, (), {})  # type: ignore[misc]
        if refusal is not None:
            return refusal
        try:
            return (await sync_to_async(view)(request)).render()
        except LargeWorkBusy as error:
            response = self._limits.process_exception(request, error)
            assert response is not None
            return response

    def _work(self, path: str) -> None:
        self._note(path)
        if path.startswith("/many"):
            lock_large_work()
        self._note(f"{path} works")
        assert self.go[path].wait(SECONDS)

    def _note(self, step: str) -> None:
        def note() -> None:
            self.steps.append(step)
            self._news.set()

        self._loop.call_soon_threadsafe(note)

    def send(self, path: str, *, client: int, size: int = 0) -> asyncio.Task[Any]:
        """Send a body of this size from the address of a client."""
        self.go[path] = Event()
        body, address = b"[1]" + b" " * size, f"192.0.2.{client}"
        request = RequestFactory().post(path, body, content_type="application/json", REMOTE_ADDR=address)
        return asyncio.ensure_future(self._served(request))

    async def _served(self, request: HttpRequest) -> Any:
        async with ThreadSensitiveContext():
            return await self._limits(request)

    async def until(self, *steps: str) -> None:
        """Wait for these steps; compare all there were."""
        async with asyncio.timeout(SECONDS):
            while not set(steps) <= set(self.steps):
                self._news.clear()
                await self._news.wait()
        assert self.steps == list(steps)
        self.steps.clear()

    async def content_of(self, path: str, response: asyncio.Task[Any]) -> bytes:
        """Let a request end, and return what it answers."""
        self.go[path].set()
        return bytes((await response).content)


def test_changes_of_many_rows_take_turns_with_each_other_and_with_large_bodies(settings: Any) -> None:
    settings.REQUESTS_AT_ONCE = 1

    async def scenario() -> None:
        requests = Requests()
        first = requests.send("/many1", client=1)
        await requests.until("/many1", "/many1 works")
        second = requests.send("/many2", client=2)
        await requests.until("/many2")
        # While it waits, it does not hold the only slot of its client.
        small = requests.send("/small", client=2)
        await requests.until("/small", "/small works")
        assert await requests.content_of("/small", small) == b"[1]"
        third = requests.send("/large3", client=3, size=MB)
        assert await requests.content_of("/many1", first) == b"[1]"
        await requests.until("/many2", "/many2 works")
        assert await requests.content_of("/many2", second) == b"[1]"
        await requests.until("/large3", "/large3 works")
        assert await requests.content_of("/large3", third) == b"[1]"

    asyncio.run(scenario())


def test_a_change_of_many_rows_whose_client_leaves_while_it_waits_takes_no_turn() -> None:
    async def scenario() -> None:
        requests = Requests()
        first = requests.send("/many1", client=1)
        await requests.until("/many1", "/many1 works")
        second = requests.send("/many2", client=2)
        await requests.until("/many2")
        third = requests.send("/many3", client=3)
        await requests.until("/many3")
        second.cancel()
        await asyncio.wait({second})
        await requests.content_of("/many1", first)
        await requests.until("/many3", "/many3 works")
        assert await requests.content_of("/many3", third) == b"[1]"

    asyncio.run(scenario())


@pytest.mark.parametrize(("client", "error"), [("ada", TooMany), ("bob", Busy)])
def test_a_request_that_does_not_get_its_turn_in_time_is_refused(client: str, error: type[AccountsError]) -> None:
    async def scenario() -> None:
        shares = SlotPool(slots=8, reserve=0, per_client=1, max_waiting=1, seconds=0)
        slot = RequestSlot(shares, "bob", large=False)
        await slot.acquire()
        # Of the same client, which then has no slot for the second, or of another.
        await shares.acquire("ada", large=True)
        if client == "ada":
            slot.release()
            slot = RequestSlot(shares, "ada", large=False)
        with pytest.raises(error):
            await slot.acquire_large()
        slot.release()
        shares.release("ada", large=True)
        for each in ("ada", "bob"):
            await shares.acquire(each, large=each == "bob")

    asyncio.run(scenario())
