"""Authenticates API requests by token and limits their rate, for REST and streams alike."""
from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from accounts.clients import client_network
from accounts.exceptions import AccountsError, Forbidden, NotAuthenticated, TooMany
from accounts.models import ApiToken
from accounts.rate_limits import Rate, Rates
from accounts.tokens import token_from_header
from chatproject.errors import error_response
from chatproject.middleware.inline import InlineMiddleware
from shared.user_messages import declare

READ_ONLY_TOKEN = declare("read_only_token", "This token is read-only.")
TOO_MANY_CALLS = declare("too_many_calls", "More than {count:,} requests within a minute. Try again in {seconds} s.")
UNSAFE_METHODS = {"POST", "PUT", "PATCH", "DELETE"}


class ApiAccessMiddleware(InlineMiddleware):
    """Accepts tokens in place of sessions, refuses writes with read-only ones, counts requests, prevents caching."""

    def __init__(self, get_response: Any) -> None:
        super().__init__(get_response)
        self._rates = Rates()

    def request_needs_thread(self, request: HttpRequest) -> bool:
        """Return whether the request is counted: API requests, and pages of shared tables."""
        return request.path.startswith(("/api/", "/shared/"))

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        try:
            if request.path.startswith("/api/"):
                self._authenticate(request)
            elif request.path.startswith("/shared/") and not request.user.is_authenticated:
                self._count(request, limits=_address_limits(request), now=timezone.now())
        except AccountsError as error:
            return error_response(error, request=request)
        return None

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        rate: Rate | None = getattr(request, "rate", None)
        if rate is not None:
            response["X-RateLimit-Limit"] = str(rate.limit)
            response["X-RateLimit-Remaining"] = str(rate.remaining)
            response["X-RateLimit-Reset"] = str(rate.reset)
        if request.path.startswith("/api/"):
            # Without this, a browser that goes back may load the page with old API responses from its cache.
            response.headers.setdefault("Cache-Control", "no-store")
        return response

    def _authenticate(self, request: HttpRequest) -> None:
        now = timezone.now()
        try:
            token = token_from_header(request.headers.get("Authorization", ""), now=now)
        except NotAuthenticated:
            self._count(request, limits=_address_limits(request), now=now)
            raise
        if token is not None:
            _set_token_user(request, token=token)
        is_known = request.user.is_authenticated
        if token is None:
            _set_async_user(request, request.user)
        self._count(request, limits=_limits(request, token=token) if is_known else _address_limits(request), now=now)
        if token is not None and token.scope != ApiToken.Scope.WRITE and request.method in UNSAFE_METHODS:
            raise Forbidden(READ_ONLY_TOKEN(), code="read_only_token")

    def _count(self, request: HttpRequest, *, limits: dict[str, int], now: Any) -> None:
        rate = self._rates.take(limits, now=now)
        request.rate = rate  # type: ignore[attr-defined]  # an attribute of our own
        if rate.exceeded:
            message = TOO_MANY_CALLS(count=rate.limit, seconds=rate.reset)
            raise TooMany(message, extra={"retry_after": rate.reset})


def _limits(request: HttpRequest, *, token: ApiToken | None) -> dict[str, int]:
    user = {f"user:{request.user.pk}": settings.API_CALLS_A_MINUTE}
    return {f"token:{token.pk}": settings.API_TOKEN_CALLS_A_MINUTE, **user} if token else user


def _address_limits(request: HttpRequest) -> dict[str, int]:
    return {f"address:{client_network(request)}"[:64]: settings.API_CALLS_A_MINUTE}


def _set_async_user(request: HttpRequest, user: Any) -> None:
    """Return this user from `request.auser`, so that async views do not load it again."""

    async def auser() -> object:
        return user

    request.auser = auser  # type: ignore[assignment]  # the stubs want a user class


def _set_token_user(request: HttpRequest, *, token: ApiToken) -> None:
    request.user = token.user
    _set_async_user(request, token.user)
    request.api_token = token  # type: ignore[attr-defined]  # an attribute of our own
    # Browsers send this header only for scripts of our own pages.
    request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]  # of Django, not in its stubs
