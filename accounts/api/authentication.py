"""Token authentication of DRF views. The token was looked up in a middleware, which also serves plain views."""
from __future__ import annotations

from typing import Any

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.exceptions import Forbidden
from accounts.models import ApiToken
from shared.user_messages import declare

NOT_WITH_A_TOKEN = declare(
    "not_with_a_token", "Tokens cannot manage tokens. Sign in instead."
)


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer …`, without a CSRF check, because browsers do not send this header by themselves."""

    def authenticate(self, request: Request) -> tuple[Any, ApiToken] | None:
        token: ApiToken | None = getattr(request._request, "api_token", None)
        return (token.user, token) if token is not None else None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def refuse_tokens(request: Request) -> None:
    """Refuse requests with a token, which must not be able to create other tokens."""
    if request.auth is not None:
        raise Forbidden(NOT_WITH_A_TOKEN(), code="not_with_a_token")
