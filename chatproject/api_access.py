"""Who calls the API, decided once for REST and streams alike, before any view."""
from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin

from accounts.exceptions import AccountsError, Forbidden
from accounts.models import ApiToken
from accounts.tokens import token_of
from chatproject.errors import error_response

SAFE = {"GET", "HEAD", "OPTIONS"}


class ApiAccessMiddleware(MiddlewareMixin):
    """Takes a token in place of a session. A token with scope read gets no further with anything that may write."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        authorization = request.headers.get("Authorization", "")
        if not authorization or not request.path.startswith("/api/"):
            return None
        try:
            token = token_of(authorization, now=timezone.now())
            if token is not None:
                _act_as(request, token=token)
        except AccountsError as error:
            return error_response(error, request=request)
        return None


def _act_as(request: HttpRequest, *, token: ApiToken) -> None:
    if token.scope != ApiToken.Scope.WRITE and request.method not in SAFE:
        raise Forbidden("This token may only read.", code="read_only_token")

    async def auser() -> object:
        return token.user

    request.user = token.user
    request.auser = auser  # type: ignore[assignment]  # what async views ask; the same person
    request.api_token = token  # type: ignore[attr-defined]  # a request has no slot of its own for it
    # No browser sends this header by itself, so no foreign page can have made it do so.
    request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]  # Django's own switch, not in its stubs
