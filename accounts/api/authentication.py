"""How DRF's views learn of a token: it was looked up before, in the one place that serves plain views too."""
from __future__ import annotations

from typing import Any

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.exceptions import Forbidden
from accounts.models import ApiToken
from user_messages import declare

NOT_WITH_A_TOKEN = declare(
    "not_with_a_token", "Tokens are managed by users who are signed in, not by tokens."
)


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer …`; no CSRF then, for a browser never sends this header by itself."""

    def authenticate(self, request: Request) -> tuple[Any, ApiToken] | None:
        token: ApiToken | None = getattr(request._request, "api_token", None)
        return (token.user, token) if token is not None else None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def refuse_tokens(request: Request) -> None:
    """Only a person who is signed in goes on: a token must not be able to make others, or to outlive itself."""
    if request.auth is not None:
        raise Forbidden(NOT_WITH_A_TOKEN(), code="not_with_a_token")
