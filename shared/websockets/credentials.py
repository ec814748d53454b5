"""How a request, a socket or a turn was authenticated, and whether that still holds."""
from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest


@dataclass(frozen=True)
class Credential:
    """A user, with the session or the API token that authenticated them; without both only the user counts.

    `token_scope` is the scope that the token had at that time.
    """

    user_id: int
    session_key: str = field(default="", repr=False)
    token_id: int | None = None
    token_scope: str = ""


class Authority(Protocol):
    """Answers questions about credentials; the app that stores accounts provides it."""

    def valid(self, credentials: Collection[Credential]) -> set[Credential]:
        """Return those that still hold, with a number of queries that does not grow with the number of credentials."""

    def user_of_token(self, authorization: str) -> tuple[Any, Credential] | None:
        """Return the user of an `Authorization` header with a valid bearer token, and the credential."""


_authority: list[Authority] = []


def set_authority(authority: Authority) -> None:
    """Use this authority from now on."""
    _authority[:] = [authority]


def valid_credentials(credentials: Collection[Credential]) -> set[Credential]:
    """Return those that still hold: user active, session open, password unchanged, token and scope as they were."""
    return _authority[0].valid(credentials) if credentials else set()


def is_valid(credential: Credential) -> bool:
    """Return whether a credential still holds."""
    return credential in valid_credentials([credential])


def credential_of(request: HttpRequest, *, user: Any) -> Credential:
    """Return the credential of a request that was authenticated as this user."""
    token: Any = getattr(request, "api_token", None)
    if token is not None:
        return Credential(token.user_id, token_id=token.pk, token_scope=token.scope)
    return Credential(user.pk, session_key=request.session.session_key or "")


def authenticate(scope: dict[str, Any]) -> tuple[Any, Credential] | None:
    """Return the active user of a handshake and its credential: a bearer token where one is sent, else the session."""
    authorization = next((value for name, value in scope.get("headers", ()) if name.lower() == b"authorization"), b"")
    # A proxy may add another scheme, such as Basic.
    if authorization.lower().startswith(b"bearer "):
        return _authority[0].user_of_token(authorization.decode("latin-1"))
    session_key = getattr(scope.get("session"), "session_key", None) or ""
    user = user_of_session(session_key)
    return (user, Credential(user.pk, session_key=session_key)) if user is not None else None


def user_of_session(session_key: str | None) -> Any:
    """Return the active user who is signed in with this session, or None."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user: Any = get_user(request)
    return user if user.is_authenticated and user.is_active else None
