"""Middleware whose hooks run in the event loop when they need no database. Django would run each in a thread.

A request passes two dozen hooks before its first byte; the switch to a thread costs ten times as much as most of them.
"""
from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from asgiref.sync import sync_to_async
from csp.constants import HEADER
from csp.middleware import CSPMiddleware as DjangoCSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware as DjangoAuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware as DjangoMessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware as DjangoSessionMiddleware
from django.core.handlers.exception import response_for_exception
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.clickjacking import XFrameOptionsMiddleware as DjangoXFrameOptionsMiddleware
from django.middleware.csrf import CsrfViewMiddleware as DjangoCsrfViewMiddleware
from django.middleware.security import SecurityMiddleware as DjangoSecurityMiddleware
from django.utils.deprecation import MiddlewareMixin
from django.utils.functional import SimpleLazyObject

from accounts.sessions.store import user_of
from chatproject.observability.logs import key_in_url
from shared.db import call_and_close
from shared.db.time_limits import current_time_limit, time_limit

SAFE_METHODS = {"GET", "HEAD", "OPTIONS", "TRACE"}


async def in_thread(hook: Callable[..., Any], request: HttpRequest, *args: Any) -> Any:
    """Call a hook with the request in the request's thread, and close its database connections afterwards.

    Its database work has the time limit of the request. Before that starts, it has one as long, so that the connection
    needs no other limit for the view.
    """
    if current_time_limit() is not None:
        return await sync_to_async(call_and_close)(hook, request, *args)
    with time_limit(request_seconds(request), lock_seconds=settings.DATABASE_LOCK_SECONDS):
        return await sync_to_async(call_and_close)(hook, request, *args)


def request_seconds(request: HttpRequest) -> int:
    """Return the seconds that the database may work for a request, unless its work is long."""
    return int(settings.DATABASE_READ_SECONDS if request.method in SAFE_METHODS else settings.DATABASE_WRITE_SECONDS)


class InlineMiddleware(MiddlewareMixin):
    """Base class of middleware. Subclasses override `…_needs_thread` for hooks that use the database.

    Consecutive middleware of this class is run in one coroutine by the first of it. Django would run each in two.
    """

    def __init__(self, get_response: Any) -> None:
        super().__init__(get_response)
        # This middleware and those directly inside of it, and what they surround.
        self._layers: tuple[InlineMiddleware, ...] = (self,)
        self._surrounded = get_response
        inner = getattr(get_response, "__wrapped__", None)
        if isinstance(inner, InlineMiddleware) and type(inner).__acall__ is InlineMiddleware.__acall__:
            self._layers, self._surrounded = (self, *inner._layers), inner._surrounded
        hook: Callable[..., Any] | None = getattr(self, "process_view", None)
        if self.async_mode and hook is not None:
            self.process_view: Callable[..., Any] = self._inline(hook)

    def request_needs_thread(self, request: HttpRequest) -> bool:
        """Return whether `process_request` may use the database."""
        return False

    def view_needs_thread(self, request: HttpRequest) -> bool:
        """Return whether `process_view` may use the database or calls the view."""
        return False

    def response_needs_thread(self, request: HttpRequest) -> bool:
        """Return whether `process_response` may use the database."""
        return False

    async def __acall__(self, request: HttpRequest) -> Any:
        """Run the hooks as Django does: a response ends the way in, and an exception becomes a response."""
        response: HttpResponse | None = None
        passed: list[InlineMiddleware] = []
        for layer in self._layers:
            before = getattr(layer, "process_request", None)
            try:
                if before is not None:
                    in_loop = not layer.request_needs_thread(request)
                    response = before(request) if in_loop else await in_thread(before, request)
                passed.append(layer)
            except Exception as error:
                response = await error_response_in_thread(request, error)
            if response is not None:
                break
        else:
            response = await self._surrounded(request)
        for layer in reversed(passed):
            after = getattr(layer, "process_response", None)
            try:
                if after is not None:
                    in_loop = not layer.response_needs_thread(request)
                    response = after(request, response) if in_loop else await in_thread(after, request, response)
            except Exception as error:
                response = await error_response_in_thread(request, error)
        return response

    def _inline(self, hook: Callable[..., Any]) -> Callable[..., Any]:
        async def process_view(request: HttpRequest, *view: Any) -> Any:
            return await in_thread(hook, request, *view) if self.view_needs_thread(request) else hook(request, *view)

        return process_view


error_response_in_thread = sync_to_async(response_for_exception, thread_sensitive=False)


class SecurityMiddleware(InlineMiddleware, DjangoSecurityMiddleware):
    """Adds security headers, or redirects to HTTPS."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Send only the origin as referrer from pages whose URL has a secret, because proxies log referrers.

        Not "no-referrer": the CSRF check of a form on such a page needs the origin.
        """
        if key_in_url(request):
            response.headers.setdefault("Referrer-Policy", "strict-origin")
        return super().process_response(request, response)


class XFrameOptionsMiddleware(InlineMiddleware, DjangoXFrameOptionsMiddleware):
    """Writes a header."""


class CsrfViewMiddleware(InlineMiddleware, DjangoCsrfViewMiddleware):
    """Checks the CSRF token. The error page loads the user."""

    def view_needs_thread(self, request: HttpRequest) -> bool:
        """Return whether the token may be in a form; API requests with JSON send it in a header."""
        is_call = request.path.startswith("/api/") and request.content_type == "application/json"
        return request.method not in SAFE_METHODS and not is_call


class CSPMiddleware(InlineMiddleware, DjangoCSPMiddleware):
    """Writes a header, whose text is built once unless a view has changed it or its page uses a nonce."""

    @cached_property
    def _policy(self) -> str:
        return build_policy()

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Write the header."""
        is_changed = settings.DEBUG or hasattr(request, "_csp_nonce") or "_csp_" in " ".join(vars(response))
        if is_changed:
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, self._policy)
        return response


class AuthenticationMiddleware(InlineMiddleware, DjangoAuthenticationMiddleware):
    """Sets `request.user`, which is loaded when it is first used."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: user_of(request))  # type: ignore[assignment]  # it acts as a user


class SessionMiddleware(InlineMiddleware, DjangoSessionMiddleware):
    """Sets `request.session`, which is loaded when it is first used and saved if it was modified."""

    def response_needs_thread(self, request: HttpRequest) -> bool:
        return bool(request.session.modified)


class MessageMiddleware(InlineMiddleware, DjangoMessageMiddleware):
    """Stores messages for the user, if there are any."""

    def response_needs_thread(self, request: HttpRequest) -> bool:
        messages: Any = getattr(request, "_messages", None)
        return messages is not None and (messages.used or messages.added_new)
