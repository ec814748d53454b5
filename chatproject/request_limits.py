"""Limits on what one request, and all requests of one client, may take from a process and its database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from accounts.addresses import address_of
from accounts.exceptions import AccountsError
from chatproject.client_shares import Shares, busy
from chatproject.errors import error_response
from chatproject.inline_middleware import SAFE, InPlaceMiddleware, in_thread
from chatproject.memory import MB, limit_growth, memory_is_below
from chatproject.middleware import plain_refusal
from chatproject.request_slot import BeginAgain, RequestSlot
from chatproject.uploads import is_upload
from shared.db import close_connections
from shared.db.large_work import LargeWorkBusy, set_large_work_lock
from shared.db.time_limits import TimeLimit, set_time_limit

# Connections for turns, sockets, streams and sign-in checks, which take no slots.
OTHER_CONNECTIONS = 4
RESERVE = 4
MAX_WAITING = 200
WAIT_SECONDS = 20.0
# Bytes of a body that may take much memory once it is parsed.
LARGE_BODY = MB
# Bytes of a JSON body above which requests are worked on one at a time. What stays of a process's memory depends on how
# much it used at most: Python returns memory in blocks of 1 MB, if nothing in them is in use any more.
BODY_IN_TURN = MB // 4
# Probes must be answered however many visitors come from the same address, which may be that of a proxy.
WITHOUT_SLOT = {"/healthz", "/readyz", "/metrics"}
# Names of the addresses whose work grows with the size of a table, or with all that a user has.
LONG_WORK = {
    *("api_columns", "api_column", "api_schema_proposal", "api_undo", "api_redo", "api_duplicate", "chat_apply"),
    *("table_edit", "table_history", "own_data", "delete_account", "api_restore_version", "table_restore"),
    "api_changes",
}
View = Callable[..., Any]


class RequestLimitMiddleware(InPlaceMiddleware):
    """Give each request of a synchronous view a slot among those of its client, and its database work a time limit.

    A request that turns out to change many rows ends without an effect while another such request or one with a large
    body is worked on. It begins again when it has its turn, for which it waits without a slot. The work ends when the
    client disconnects. Async views (streams, exports) have limits of their own, for which `request.client` names the
    client. Without ASGI there are no slots.
    """

    def __init__(self, get_response: Any) -> None:
        super().__init__(get_response)
        # Tests have several event loops.
        self._shares: WeakKeyDictionary[asyncio.AbstractEventLoop, Shares] = WeakKeyDictionary()
        if self.async_mode:
            # Django awaits the hook in the request's own task, so that what it sets in the context applies to the view.
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
        try:
            response = await inner(request)
            if isinstance(response, BeginAgain):
                response = await self._refuse_turn(request) or await inner(request)
            if isinstance(response, BeginAgain):
                response = _refusal(busy(), request=request)
            _drop_rendered(response)
            return response
        except asyncio.CancelledError:
            limit: TimeLimit | None = getattr(request, "time_limit", None)
            # Long work goes on: a proxy may give up waiting for its answer, and then it could never be completed.
            if limit is not None and not _is_long(request):
                # Not in the request's own thread, which works.
                await asyncio.shield(asyncio.to_thread(limit.cancel))
            raise
        finally:
            set_time_limit(None)
            set_large_work_lock(None)
            slot: RequestSlot | None = getattr(request, "slot", None)
            if slot is not None:
                await self._release(slot)

    async def _admit(self, request: HttpRequest, view: View, args: Any, kwargs: Any) -> HttpResponse | None:
        if request.path in WITHOUT_SLOT:
            return self._start(request, view, args, kwargs)
        client = await _client(request)
        request.client = client  # type: ignore[attr-defined]  # a request has no attribute of its own for it
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
        # Uploads cannot be read a second time.
        can_begin_again = slot is not None and not slot.has_turn and not is_upload(request)
        return BeginAgain() if can_begin_again else _refusal(busy(), request=request)

    async def _acquire(self, request: HttpRequest, client: str) -> None:
        """Wait for a slot, with a large body for one in which no other is worked on; meanwhile it is not parsed.

        Raises AccountsError.
        """
        slot: RequestSlot | None = getattr(request, "slot", None)
        if slot is None:
            large = _body_size(request) > BODY_IN_TURN and not is_upload(request)
            if not large and request.content_type == "application/json":
                # So that it can be read a second time.
                request.body  # noqa: B018
            slot = RequestSlot(self._shares_here(), client, large=large)
            request.slot = slot  # type: ignore[attr-defined]  # a request has no attribute of its own for it
        await slot.acquire()
        set_large_work_lock(slot.take_turn)

    async def _refuse_turn(self, request: HttpRequest) -> HttpResponse | None:
        """Wait for the turn for large work; return a response if it does not come in time."""
        # The request's thread gives its connection back.
        await in_thread(limit_growth)
        try:
            await request.slot.acquire_turn()  # type: ignore[attr-defined]  # set by `_acquire`
        except AccountsError as error:
            return _refusal(error, request=request)
        return None

    async def _release(self, slot: RequestSlot) -> None:
        """Release the slot when the request's thread has ended its work and given its connection back.

        A thread whose request was cancelled works on for a moment, and may take the turn for large work until then.
        """
        idle = asyncio.ensure_future(in_thread(limit_growth))
        idle.add_done_callback(lambda _: slot.release())
        await asyncio.shield(idle)

    def _shares_here(self) -> Shares:
        """Return the slots of the running event loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._shares:
            self._shares[loop] = Shares(
                slots=max(2, settings.DATABASE_CONNECTIONS - OTHER_CONNECTIONS),
                reserve=min(RESERVE, settings.DATABASE_CONNECTIONS // 4),
                per_client=settings.REQUESTS_AT_ONCE,
                max_waiting=MAX_WAITING,
                seconds=WAIT_SECONDS,
            )
        return self._shares[loop]

    def process_view(self, request: HttpRequest, view: View, args: Any, kwargs: Any) -> HttpResponse | None:
        return self._start(request, view, args, kwargs)

    def _start(self, request: HttpRequest, view: View, args: Any, kwargs: Any) -> HttpResponse | None:
        """Limit the request, or refuse its large body while the process uses too much memory. It has its slot."""
        if _body_size(request) > LARGE_BODY and not memory_is_below(settings.MEMORY_MAX_MB):
            return _refusal(busy(), request=request)
        self._limit(request, view, args, kwargs)
        return None

    def _limit(self, request: HttpRequest, view: View, args: Any, kwargs: Any) -> None:
        """Set the limit in the context of the request's task or thread, in which Django calls the view."""
        if iscoroutinefunction(view):
            return
        limit = TimeLimit(
            _seconds(request), lock_seconds=settings.DATABASE_LOCK_SECONDS, client=getattr(request, "client", None)
        )
        request.time_limit = limit  # type: ignore[attr-defined]  # a request has no attribute of its own for it
        set_time_limit(limit)
        if not self.async_mode:
            # Middleware has opened a connection in this thread, without the limits.
            close_connections()


def _refusal(error: Exception, *, request: HttpRequest) -> HttpResponse:
    refusal = error_response if request.path.startswith("/api/") else plain_refusal
    return refusal(error, request=request)


def _drop_rendered(response: Any) -> None:
    """Free what DRF's rendered response holds besides its content: the view with the parsed body, and all values.

    They would stay until the client has read the response, which it may never do.
    """
    if getattr(response, "is_rendered", False) and hasattr(response, "renderer_context"):
        response.renderer_context = {}
        response.data = None


def _is_long(request: HttpRequest) -> bool:
    address = request.resolver_match
    return address is not None and address.url_name in LONG_WORK


def _seconds(request: HttpRequest) -> int:
    """Return how many seconds the database may work for a request."""
    if _is_long(request):
        return int(settings.DATABASE_LONG_SECONDS)
    return int(settings.DATABASE_READ_SECONDS if request.method in SAFE else settings.DATABASE_WRITE_SECONDS)


def _body_size(request: HttpRequest) -> int:
    length = str(request.META.get("CONTENT_LENGTH") or "0")
    return int(length) if length.isdigit() else 0


async def _client(request: HttpRequest) -> str:
    """Return whose slots the request takes: its user's or, for visitors, their address's."""
    user_id = None
    if request.path.startswith("/api/"):
        # Found by ApiAccessMiddleware.
        user_id = request.user.pk
    elif settings.SESSION_COOKIE_NAME in request.COOKIES:
        user_id = await in_thread(lambda: request.user.pk)
    return f"address:{address_of(request)}" if user_id is None else f"user:{user_id}"
