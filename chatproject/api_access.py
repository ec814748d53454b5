"""Who calls the API and how often, decided once for REST and streams alike, before any view."""
from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from accounts.addresses import address_of
from accounts.exceptions import AccountsError, Forbidden, NotAuthenticated, TooMany
from accounts.models import ApiToken
from accounts.rate_limits import Rate, Rates
from accounts.tokens import token_of
from chatproject.errors import error_response
from chatproject.inline_middleware import InPlaceMiddleware
from shared.user_messages import declare

READ_ONLY_TOKEN = declare("read_only_token", "This token may only read.")
TOO_MANY_CALLS = declare("too_many_calls", "More than {count:,} calls within a minute. Try again in {seconds} s.")
WRITING = {"POST", "PUT", "PATCH", "DELETE"}


class ApiAccessMiddleware(InPlaceMiddleware):
    """Takes a token in place of a session, and counts.

    A token with scope read gets no further with anything that may write.
    """

    def __init__(self, get_response: Any) -> None:
        super().__init__(get_response)
        self._rates = Rates()

    def request_waits(self, request: HttpRequest) -> bool:
        """Return whether the request is counted: calls of the API, and visitors' pages of shared tables."""
        return request.path.startswith(("/api/", "/shared/"))

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        try:
            if request.path.startswith("/api/"):
                self._let_in(request)
            elif request.path.startswith("/shared/") and not request.user.is_authenticated:
                self._count(request, limits=_limits_of_address(request), now=timezone.now())
        except AccountsError as error:
            return error_response(error, request=request)
        return None

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        rate: Rate | None = getattr(request, "rate", None)
        if rate is not None:
            response["X-RateLimit-Limit"] = str(rate.limit)
            response["X-RateLimit-Remaining"] = str(rate.remaining)
            response["X-RateLimit-Reset"] = str(rate.reset)
        return response

    def _let_in(self, request: HttpRequest) -> None:
        now = timezone.now()
        try:
            token = token_of(request.headers.get("Authorization", ""), now=now)
        except NotAuthenticated:
            self._count(request, limits=_limits_of_address(request), now=now)
            raise
        if token is not None:
            _act_as(request, token=token)
        known = request.user.is_authenticated
        if token is None:
            _say_at_once(request)
        self._count(request, limits=_limits_of(request, token=token) if known else _limits_of_address(request), now=now)
        if token is not None and token.scope != ApiToken.Scope.WRITE and request.method in WRITING:
            raise Forbidden(READ_ONLY_TOKEN(), code="read_only_token")

    def _count(self, request: HttpRequest, *, limits: dict[str, int], now: Any) -> None:
        rate = self._rates.take(limits, now=now)
        request.rate = rate  # type: ignore[attr-defined]  # a request has no slot of its own for it
        if rate.exceeded:
            message = TOO_MANY_CALLS(count=rate.limit, seconds=rate.reset)
            raise TooMany(message, extra={"retry_after": rate.reset})


def _limits_of(request: HttpRequest, *, token: ApiToken | None) -> dict[str, int]:
    person = {f"user:{request.user.pk}": settings.API_CALLS_A_MINUTE}
    return {f"token:{token.pk}": settings.API_TOKEN_CALLS_A_MINUTE, **person} if token else person


def _limits_of_address(request: HttpRequest) -> dict[str, int]:
    return {f"address:{address_of(request)}"[:64]: settings.API_CALLS_A_MINUTE}


def _say_at_once(request: HttpRequest) -> None:
    """Who asks is known by now: async views need not look them up once more."""
    user = request.user

    async def auser() -> object:
        return user

    request.auser = auser  # type: ignore[assignment]  # the same person


def _act_as(request: HttpRequest, *, token: ApiToken) -> None:
    async def auser() -> object:
        return token.user

    request.user = token.user
    request.auser = auser  # type: ignore[assignment]  # what async views ask; the same person
    request.api_token = token  # type: ignore[attr-defined]  # a request has no slot of its own for it
    # No browser sends this header by itself, so no foreign page can have made it do so.
    request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]  # Django's own switch, not in its stubs
