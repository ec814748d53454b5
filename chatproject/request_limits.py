"""Limits on what one request may take from a process and its database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest

from chatproject.in_place import SAFE, InPlaceMiddleware
from statements import giving_back
from statements.time_limits import TimeLimit, set_time_limit

View = Callable[..., Any]


class RequestLimitMiddleware(InPlaceMiddleware):
    """Give the database work of a synchronous view a time limit, and end it when its client disconnects.

    Async views (streams, exports) limit each piece of their work.
    """

    def __call__(self, request: HttpRequest) -> Any:
        if self.async_mode:
            return self.__acall__(request)
        try:
            return self.get_response(request)
        finally:
            set_time_limit(None)

    async def __acall__(self, request: HttpRequest) -> Any:
        inner: Any = self.get_response
        try:
            return await inner(request)
        except asyncio.CancelledError:
            limit: TimeLimit | None = getattr(request, "time_limit", None)
            if limit is not None:
                # Not in the request's own thread, which works.
                await asyncio.shield(asyncio.to_thread(limit.cancel))
            raise
        finally:
            set_time_limit(None)

    def process_view(self, request: HttpRequest, view: View, args: Any, kwargs: Any) -> None:
        """Set the limit in the context of the request's task or thread, in which Django calls the view."""
        if iscoroutinefunction(view):
            return
        seconds = settings.DATABASE_READ_SECONDS if request.method in SAFE else settings.DATABASE_WRITE_SECONDS
        limit = TimeLimit(seconds, lock_seconds=settings.DATABASE_LOCK_SECONDS)
        request.time_limit = limit  # type: ignore[attr-defined]  # a request has no attribute of its own for it
        set_time_limit(limit)
        if not self.async_mode:
            # Middleware has opened a connection in this thread, without the limits.
            giving_back(lambda: None)
