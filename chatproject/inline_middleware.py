"""Middleware whose hooks wait for nothing, called where they are: Django would send each to a thread and back.

A stream passes two dozen such hooks before its first byte; in a thread each costs ten times what it does. What may ask
the database still gets its thread.
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

from accounts.session_store import person_of
from chatproject.logs import key_in_address
from shared.db import call_and_close

SAFE = {"GET", "HEAD", "OPTIONS", "TRACE"}


async def in_thread(hook: Callable[..., Any], *args: Any) -> Any:
    """What the hook gives, called in the request's thread; a stream may wait long after it."""
    return await sync_to_async(call_and_close)(hook, *args)


class InPlaceMiddleware(MiddlewareMixin):
    """`request_waits`, `view_waits` and `response_waits` say of which hook, and when, that is not so."""

    def __init__(self, get_response: Any) -> None:
        super().__init__(get_response)
        look: Callable[..., Any] | None = getattr(self, "process_view", None)
        if self.async_mode and look is not None:
            self.process_view: Callable[..., Any] = self._in_place(look)

    def request_waits(self, request: HttpRequest) -> bool:
        """Whether the hook before the view may ask the database."""
        return False

    def view_waits(self, request: HttpRequest) -> bool:
        """Whether the hook that is told of the view may ask the database, or calls the view itself."""
        return False

    def response_waits(self, request: HttpRequest) -> bool:
        """Whether the hook after the view may ask the database."""
        return False

    async def __acall__(self, request: HttpRequest) -> Any:
        response: HttpResponse | None = None
        before, after = getattr(self, "process_request", None), getattr(self, "process_response", None)
        if before is not None:
            response = await in_thread(before, request) if self.request_waits(request) else before(request)
        inner: Any = self.get_response
        given = response or await inner(request)
        if after is not None:
            return await in_thread(after, request, given) if self.response_waits(request) else after(request, given)
        return given

    def _in_place(self, look: Callable[..., Any]) -> Callable[..., Any]:
        async def look_at(request: HttpRequest, *view: Any) -> Any:
            return await in_thread(look, request, *view) if self.view_waits(request) else look(request, *view)

        return look_at


class SecurityMiddleware(InPlaceMiddleware, DjangoSecurityMiddleware):
    """Writes headers, or sends on to https."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Where the address is a key, what comes next is told the host alone: it stands in the logs of proxies too.

        Not "no-referrer": then a browser does not say either that a form on such a page comes from here, and what it
        sends is refused.
        """
        if key_in_address(request):
            response.headers.setdefault("Referrer-Policy", "strict-origin")
        return super().process_response(request, response)


class XFrameOptionsMiddleware(InPlaceMiddleware, DjangoXFrameOptionsMiddleware):
    """Writes a header."""


class CsrfViewMiddleware(InPlaceMiddleware, DjangoCsrfViewMiddleware):
    """Reads a cookie and a header; in a form it looks for the token, and the page of a refusal asks who reads it."""

    def view_waits(self, request: HttpRequest) -> bool:
        """Neither is so of a call with JSON."""
        is_call = request.path.startswith("/api/") and request.content_type == "application/json"
        return request.method not in SAFE and not is_call


class CSPMiddleware(InPlaceMiddleware, DjangoCSPMiddleware):
    """Writes a header."""


class AuthenticationMiddleware(InPlaceMiddleware, DjangoAuthenticationMiddleware):
    """Says how to find the person; whoever asks for them finds them."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: person_of(request))  # type: ignore[assignment]  # it acts as what it finds


class SessionMiddleware(InPlaceMiddleware, DjangoSessionMiddleware):
    """Says how to find the session, and stores it where it was changed."""

    def response_waits(self, request: HttpRequest) -> bool:
        return bool(request.session.modified)


class MessageMiddleware(InPlaceMiddleware, DjangoMessageMiddleware):
    """Stores messages to the person, where there are some."""

    def response_waits(self, request: HttpRequest) -> bool:
        messages: Any = getattr(request, "_messages", None)
        return messages is not None and (messages.used or messages.added_new)
