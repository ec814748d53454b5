"""The handler of requests reuses their threads, except one that is still busy."""
from __future__ import annotations

import asyncio
import threading
from typing import Any

from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse
from django.urls import path

from chatproject.server.django_handler import RequestHandler

THREADS: list[int] = []
started, go = threading.Event(), threading.Event()


def quick(request: HttpRequest) -> HttpResponse:
    THREADS.append(threading.get_ident())
    return HttpResponse("quick")


def slow(request: HttpRequest) -> HttpResponse:
    started.set()
    go.wait()
    return quick(request)


urlpatterns = [path("quick/", quick), path("slow/", slow)]


async def request(handler: RequestHandler, url: str, *, disconnected: asyncio.Event) -> list[Any]:
    """Send a request; return the messages of its response."""
    scope = {"type": "http", "method": "GET", "path": url, "query_string": b"", "headers": []}
    incoming, sent = [{"type": "http.request", "body": b""}], []

    async def receive() -> Any:
        if incoming:
            return incoming.pop()
        await disconnected.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await handler(scope, receive, send)
    return sent


def test_a_thread_is_reused_unless_it_still_works_for_a_cancelled_request(settings: Any) -> None:
    settings.ROOT_URLCONF, settings.MIDDLEWARE = __name__, []
    THREADS.clear()

    @async_to_sync
    async def scenario() -> None:
        handler, connected, disconnected = RequestHandler(), asyncio.Event(), asyncio.Event()
        for _ in range(2):
            sent = await request(handler, "/quick/", disconnected=connected)
            assert [message.get("body") for message in sent] == [None, b"quick"]
        running = asyncio.ensure_future(request(handler, "/slow/", disconnected=disconnected))
        await asyncio.to_thread(started.wait)
        disconnected.set()
        await request(handler, "/quick/", disconnected=connected)
        go.set()
        await running

    scenario()

    first, second, beside, late = THREADS
    assert first == second == late != beside
