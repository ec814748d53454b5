"""Middleware whose hooks run in the event loop when they need no database. Django would run each in a thread.

A request passes two dozen hooks before its first byte; the switch to a thread costs ten times as much as most of them.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import sync_to_async
from csp.middleware import CSPMiddleware as DjangoCSPMiddleware
from django.contrib.auth.middleware import AuthenticationMiddleware as DjangoAuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware as DjangoMessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware as DjangoSessionMiddleware
from django.http import HttpRequest, HttpResponse
from django.middleware.clickjacking import XFrameOptionsMiddleware as DjangoXFrameOptionsMiddleware
from django.middleware.csrf import CsrfViewMiddleware as DjangoCsrfViewMiddleware
from django.middleware.security import SecurityMiddleware as DjangoSecurityMiddleware
from django.utils.deprecation import MiddlewareMixin
from django.utils.functional import SimpleLazyObject

from accounts.sessions.store import user_of
from chatproject.observability.logs import key_in_url
from shared.db import call_and_close

SAFE_METHODS = {"GET", "HEAD", "OPTIONS", "TRACE"}


async def in_thread(hook: Callable[..., Any], *args: Any) -> Any:
    """Call a hook in the request's thread, and close its database connections afterwards."""
    return await sync_to_async(call_and_close)(hook, *args)


class InlineMiddleware(MiddlewareMixin):
    """Base class of middleware. Subclasses override `…_needs_thread` for hooks that use the database."""

    def __init__(self, get_response: Any) -> None:
        super().__init__(get_response)
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
        response: HttpResponse | None = None
        before, after = getattr(self, "process_request", None), getattr(self, "process_response", None)
        if before is not None:
            response = await in_thread(before, request) if self.request_needs_thread(request) else before(request)
        inner: Any = self.get_response
        response = response or await inner(request)
        if after is None:
            return response
        if self.response_needs_thread(request):
            return await in_thread(after, request, response)
        return after(request, response)

    def _inline(self, hook: Callable[..., Any]) -> Callable[..., Any]:
        async def process_view(request: HttpRequest, *view: Any) -> Any:
            return await in_thread(hook, request, *view) if self.view_needs_thread(request) else hook(request, *view)

        return process_view


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
    """Writes a header."""


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
