"""Django's ASGI handler with fewer switches between the event loop and threads.

Django starts a thread for each request and another one to end it, and sends the beginning of the request, the view, its
rendering and its end to that thread one after the other. Each switch costs as much as reading a page of rows.
"""
from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import django
from asgiref.sync import ThreadSensitiveContext, iscoroutinefunction
from django.conf import settings
from django.core import signals
from django.core.handlers.asgi import ASGIHandler
from django.db import close_old_connections, reset_queries

from chatproject.asgi_types import Receive, Scope, Send
from shared.db import close_connections


class RequestThread(ThreadPoolExecutor):
    """A thread for one request at a time."""

    def __init__(self) -> None:
        super().__init__(max_workers=1, thread_name_prefix="request")
        self._last: Future[Any] | None = None

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run the function in the thread, after those before it."""
        self._last = super().submit(function, *args, **kwargs)
        return self._last

    @property
    def is_idle(self) -> bool:
        """Whether the thread has nothing to do; that of a cancelled request may still work."""
        return self._last is None or self._last.done()


class RequestHandler(ASGIHandler):
    """Reuses the threads of requests, and renders responses in the same step as their views.

    Sync views, and hooks of middleware with a thread, return their connections themselves.
    """

    def __init__(self) -> None:
        super().__init__()
        # Last in, first out, so that few threads are used.
        self._free: list[RequestThread] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request in a thread of its own."""
        thread = self._free.pop() if self._free else RequestThread()
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self.handle(scope, receive, send)
        finally:
            if thread.is_idle and len(self._free) < settings.DATABASE_CONNECTIONS:
                self._free.append(thread)
            else:
                thread.shutdown(wait=False)

    def make_view_atomic(self, view: Callable[..., Any]) -> Callable[..., Any]:
        """Return the view in a transaction, if it wants one; a sync view also renders its response."""
        atomic: Callable[..., Any] = super().make_view_atomic(view)
        if iscoroutinefunction(atomic):
            return atomic

        def rendered(*args: Any, **kwargs: Any) -> Any:
            try:
                response = atomic(*args, **kwargs)
                if callable(getattr(response, "render", None)):
                    response = response.render()
                    # Django would render it again in a further step.
                    response.render = None
                return response
            finally:
                close_connections()

        return rendered


def request_handler() -> RequestHandler:
    """Set Django up, and return the application for HTTP."""
    django.setup(set_prefix=False)
    if not settings.DEBUG:
        # Connections are closed after each step of a request, and record no queries.
        for receiver in (close_old_connections, reset_queries):
            signals.request_started.disconnect(receiver)
    return RequestHandler()
