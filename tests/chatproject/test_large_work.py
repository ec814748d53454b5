"""Requests found to change many rows run one at a time and hold no slot while they wait."""

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
    """A view that reads its body before it works."""

    authentication_classes = permission_classes = ()
    work: Callable[[str], None] = print

    def post(self, request: Request) -> Response:
        body = request.data
        self.work(request.path)
        return Response(body)


class Requests:
    """Requests by path, each in its own thread, that work until the event of their path is set.

    `steps` collects their paths: "/path" at the start, "/path works" when the request has its turn or needs none.
    """

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.go: dict[str, Event] = {}
        self._limits = RequestLimitMiddleware(self._respond)
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()

    async def _respond(self, request: HttpRequest) -> HttpResponse:
        """Process the request as Django does."""
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
            self._changed.set()

        self._loop.call_soon_threadsafe(note)

    def send(self, path: str, *, client: int, size: int = 0) -> asyncio.Task[Any]:
        """Send a body of this size from the address of the client."""
        self.go[path] = Event()
        body, address = b"[1]" + b" " * size, f"192.0.2.{client}"
        request = RequestFactory().post(path, body, content_type="application/json", REMOTE_ADDR=address)
        return asyncio.ensure_future(self._served(request))

    async def _served(self, request: HttpRequest) -> Any:
        async with ThreadSensitiveContext():
            return await self._limits(request)

    async def until(self, *steps: str) -> None:
        """Wait for these steps and assert that there were no others."""
        async with asyncio.timeout(SECONDS):
            while not set(steps) <= set(self.steps):
                self._changed.clear()
                await self._changed.wait()
        assert self.steps == list(steps)
        self.steps.clear()

    async def content_of(self, path: str, response: asyncio.Task[Any]) -> bytes:
        """Let a request end and return the content of its response."""
        self.go[path].set()
        return bytes((await response).content)


def test_changes_of_many_rows_and_large_bodies_take_turns(settings: Any) -> None:
    settings.REQUESTS_AT_ONCE = 1

    async def scenario() -> None:
        requests = Requests()
        first = requests.send("/many1", client=1)
        await requests.until("/many1", "/many1 works")
        second = requests.send("/many2", client=2)
        await requests.until("/many2")
        # A waiting request does not hold the only slot of its client.
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


def test_a_waiting_change_of_a_disconnected_client_takes_no_turn() -> None:
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
        # Either the same client has no second slot, or another client has the turn.
        await shares.acquire("ada", large=True)
        if client == "ada":
            slot.release()
            slot = RequestSlot(shares, "ada", large=False)
        with pytest.raises(error):
            await slot.acquire_large()
        slot.release()
        shares.release("ada", large=True)
        for name in ("ada", "bob"):
            await shares.acquire(name, large=name == "bob")

    asyncio.run(scenario())
