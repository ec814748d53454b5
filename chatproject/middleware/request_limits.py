"""Gives each request a slot and a time limit, so that no request or client takes a whole process or database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from accounts.clients import client_network
from accounts.exceptions import AccountsError
from chatproject.errors import error_response
from chatproject.limits.memory import MB, has_grown, limit_growth, memory_is_below
from chatproject.limits.request_slots import RequestSlot, RetryRequest, SlotPool, busy
from chatproject.middleware.inline import InlineMiddleware, in_thread, request_seconds
from chatproject.middleware.requests import plain_refusal
from chatproject.uploads import is_upload
from shared.db import close_connections
from shared.db.large_work import LargeWorkBusy, set_large_work_lock
from shared.db.time_limits import TimeLimit, set_time_limit

# Database connections for turns, sockets, streams and sign-in checks, which use no slots.
OTHER_CONNECTIONS = 4
RESERVE = 4
MAX_WAITING = 200
WAIT_SECONDS = 20.0
# Bytes of a body that may need much memory when it is parsed.
LARGE_BODY = MB
# Bytes of a JSON body above which requests are processed one at a time. The memory of a process depends on its peak:
# Python returns memory in blocks of 1 MB, and only blocks that are completely unused.
EXCLUSIVE_BODY = MB // 4
# Probes must be answered however many clients share their address, which may be that of a proxy.
PATHS_WITHOUT_SLOT = {"/healthz", "/readyz", "/metrics"}
# Names of the URLs whose work grows with the size of a table, or with all that a user has.
LONG_WORK = {
    *("api_columns", "api_column", "api_schema_proposal", "api_undo", "api_redo", "api_duplicate", "chat_apply"),
    *("table_edit", "table_history", "own_data", "delete_account", "api_restore_version", "table_restore"),
    "api_changes",
}
View = Callable[..., Any]


class RequestLimitMiddleware(InlineMiddleware):
    """Gives each request of a synchronous view one of the slots of its client, and its database work a time limit.

    Of requests with a large body or many changed rows only one is processed at a time. A request that turns out to be
    large ends without effect if another one is running, and is processed again when its turn comes; it holds no slot
    meanwhile. The database work is cancelled when the client disconnects. Async views (streams, exports) have limits of
    their own, which use `request.client`. Without ASGI there are no slots.
    """

    def __init__(self, get_response: Any) -> None:
        super().__init__(get_response)
        # By event loop, because tests have several.
        self._pools: WeakKeyDictionary[asyncio.AbstractEventLoop, SlotPool] = WeakKeyDictionary()
        if self.async_mode:
            # Django awaits the hook in the request's own task, so context variables that it sets apply to the view.
            self.process_view = self._admit  # type: ignore[assignment,method-assign]  # awaited by Django

    def __call__(self, request: HttpRequest) -> Any:
        if self.async_mode:
            return self.__acall__(request)
        try:
            return self.get_response(request)
        finally:
            set_time_limit(None)

    async def __acall__(self, request: HttpRequest) -> Any:
        inner: Any = self.get_response
        is_cancelled = False
        try:
            response = await inner(request)
            if isinstance(response, RetryRequest):
                response = await self._wait_to_retry(request) or await inner(request)
            if isinstance(response, RetryRequest):
                response = _refusal(busy(), request=request)
            _release_drf_data(response)
            return response
        except asyncio.CancelledError:
            is_cancelled = True
            limit: TimeLimit | None = getattr(request, "time_limit", None)
            # Long work continues: a proxy with a short timeout would otherwise make it impossible.
            if limit is not None and not _is_long(request):
                # In another thread than the request's own, which is busy.
                await asyncio.shield(asyncio.to_thread(limit.cancel))
            raise
        finally:
            set_time_limit(None)
            set_large_work_lock(None)
            slot: RequestSlot | None = getattr(request, "slot", None)
            if slot is not None:
                await self._release(slot, request, is_cancelled=is_cancelled)

    async def _admit(self, request: HttpRequest, view: View, args: Any, kwargs: Any) -> HttpResponse | None:
        if request.path in PATHS_WITHOUT_SLOT:
            return self._start(request, view, args, kwargs)
        client = await _client(request)
        request.client = client  # type: ignore[attr-defined]  # an attribute of our own
        if not iscoroutinefunction(view):
            try:
                await self._acquire(request, client)
            except AccountsError as error:
                return _refusal(error, request=request)
        return self._start(request, view, args, kwargs)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, LargeWorkBusy):
            return None
        slot: RequestSlot | None = getattr(request, "slot", None)
        # The body of an upload can only be read once.
        can_retry = slot is not None and not slot.is_large and not is_upload(request)
        return RetryRequest() if can_retry else _refusal(busy(), request=request)

    async def _acquire(self, request: HttpRequest, client: str) -> None:
        """Wait for a slot; a large body is not parsed before. Raises AccountsError."""
        slot: RequestSlot | None = getattr(request, "slot", None)
        if slot is None:
            large = _body_size(request) > EXCLUSIVE_BODY and not is_upload(request)
            if not large and request.content_type == "application/json":
                # Read the body now, so that it is available for a second attempt.
                request.body  # noqa: B018
            slot = RequestSlot(self._pool(), client, large=large)
            request.slot = slot  # type: ignore[attr-defined]  # an attribute of our own
        await slot.acquire()
        set_large_work_lock(slot.become_large)

    async def _wait_to_retry(self, request: HttpRequest) -> HttpResponse | None:
        """Wait for a slot for a large request. Return a response if there is none in time."""
        # This also closes the connection of the request's thread.
        await in_thread(_limit_growth, request)
        try:
            await request.slot.acquire_large()  # type: ignore[attr-defined]  # an attribute of our own
        except AccountsError as error:
            return _refusal(error, request=request)
        return None

    async def _release(self, slot: RequestSlot, request: HttpRequest, *, is_cancelled: bool) -> None:
        """Release the slot when the request's thread has ended its work and closed its connection.

        The thread of a cancelled request continues until its work ends, and its slot may become large meanwhile.
        """
        if not is_cancelled and not has_grown():
            slot.release()
            return
        idle = asyncio.ensure_future(in_thread(_limit_growth, request))
        idle.add_done_callback(lambda _: slot.release())
        await asyncio.shield(idle)

    def _pool(self) -> SlotPool:
        """Return the slots of the running event loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._pools:
            self._pools[loop] = SlotPool(
                slots=max(2, settings.DATABASE_CONNECTIONS - OTHER_CONNECTIONS),
                reserve=min(RESERVE, settings.DATABASE_CONNECTIONS // 4),
                per_client=settings.REQUESTS_AT_ONCE,
                max_waiting=MAX_WAITING,
                seconds=WAIT_SECONDS,
            )
        return self._pools[loop]

    def process_view(self, request: HttpRequest, view: View, args: Any, kwargs: Any) -> HttpResponse | None:
        return self._start(request, view, args, kwargs)

    def _start(self, request: HttpRequest, view: View, args: Any, kwargs: Any) -> HttpResponse | None:
        """Set the time limit, or refuse a large body while the process uses too much memory."""
        if _body_size(request) > LARGE_BODY and not memory_is_below(settings.MEMORY_MAX_MB):
            return _refusal(busy(), request=request)
        self._limit(request, view, args, kwargs)
        return None

    def _limit(self, request: HttpRequest, view: View, args: Any, kwargs: Any) -> None:
        """Set the time limit in the context in which Django calls the view."""
        if iscoroutinefunction(view):
            return
        limit = TimeLimit(
            _seconds(request), lock_seconds=settings.DATABASE_LOCK_SECONDS, client=getattr(request, "client", None)
        )
        request.time_limit = limit  # type: ignore[attr-defined]  # an attribute of our own
        set_time_limit(limit)
        if not self.async_mode:
            # Middleware may have opened a connection in this thread without the limit.
            close_connections()


def _refusal(error: Exception, *, request: HttpRequest) -> HttpResponse:
    refusal = error_response if request.path.startswith("/api/") else plain_refusal
    return refusal(error, request=request)


def _release_drf_data(response: Any) -> None:
    """Drop the references of a rendered DRF response to its view, with the parsed body, and to its data.

    They would remain in memory until the client has read the response.
    """
    if getattr(response, "is_rendered", False) and hasattr(response, "renderer_context"):
        response.renderer_context = {}
        response.data = None


def _is_long(request: HttpRequest) -> bool:
    match = request.resolver_match
    return match is not None and match.url_name in LONG_WORK


def _seconds(request: HttpRequest) -> int:
    """Return the seconds that the database may work for a request."""
    if _is_long(request):
        return int(settings.DATABASE_LONG_SECONDS)
    return request_seconds(request)


def _body_size(request: HttpRequest) -> int:
    length = str(request.META.get("CONTENT_LENGTH") or "0")
    return int(length) if length.isdigit() else 0


def _user_id(request: HttpRequest) -> int | None:
    return request.user.pk


def _limit_growth(request: HttpRequest) -> None:
    limit_growth()


async def _client(request: HttpRequest) -> str:
    """Return the client whose slots the request uses: its user or, without one, its address."""
    user_id = None
    if request.path.startswith("/api/"):
        # Loaded by ApiAccessMiddleware.
        user_id = request.user.pk
    elif settings.SESSION_COOKIE_NAME in request.COOKIES:
        user_id = await in_thread(_user_id, request)
    return f"address:{client_network(request)}" if user_id is None else f"user:{user_id}"
