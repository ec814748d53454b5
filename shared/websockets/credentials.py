"""Credentials of requests, sockets and turns, and a watch that reports when they are no longer valid."""
from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest

from shared.websockets.clock import Clock
from shared.websockets.periodic import PeriodicTask, PerLoop

# Sockets and streams end within two seconds of their credential.
CHECK_SECONDS = 1.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Credential:
    """A user with the session or API token that authenticated them; without both, only the user is checked.

    `token_scope` is the scope of the token at that time.
    """

    user_id: int
    session_key: str = field(default="", repr=False)
    token_id: int | None = None
    token_scope: str = ""


class Authority(Protocol):
    """Checks credentials; implemented by the app that stores accounts."""

    def valid(self, credentials: Collection[Credential]) -> set[Credential]:
        """Return those that are still valid, with a constant number of queries."""

    def user_of_token(self, authorization: str) -> tuple[Any, Credential] | None:
        """Return the user and credential of an `Authorization` header with a valid bearer token."""


_authority: list[Authority] = []


def set_authority(authority: Authority) -> None:
    """Set the authority that checks credentials."""
    _authority[:] = [authority]


def valid_credentials(credentials: Collection[Credential]) -> set[Credential]:
    """Return those that are still valid: user active, session open, password unchanged, token and scope unchanged."""
    return _authority[0].valid(credentials) if credentials else set()


def is_valid(credential: Credential) -> bool:
    """Return whether a credential is still valid."""
    return credential in valid_credentials([credential])


def credential_of(request: HttpRequest, *, user: Any) -> Credential:
    """Return the credential of a request that was authenticated as this user."""
    token: Any = getattr(request, "api_token", None)
    if token is not None:
        return Credential(token.user_id, token_id=token.pk, token_scope=token.scope)
    return Credential(user.pk, session_key=request.session.session_key or "")


def authenticate(scope: dict[str, Any]) -> tuple[Any, Credential] | None:
    """Return the active user and credential of a handshake: its bearer token if one is sent, else its session."""
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


# Not in the thread that Django uses for thread-sensitive work: a slow query there would delay every check.
valid_in_thread = database_sync_to_async(valid_credentials, thread_sensitive=False)


class CredentialWatch:
    """Calls back once when a credential is no longer valid. It runs only while there are credentials to check."""

    def __init__(self, clock: Clock) -> None:
        self._watched: dict[object, tuple[Credential, Callable[[], None]]] = {}
        self._checks = PeriodicTask(self._check, clock=clock, seconds=CHECK_SECONDS, name="credential watch")

    def add(self, credential: Credential, on_end: Callable[[], None]) -> Callable[[], None]:
        """Check this credential every second. Return a function that stops that, which may be called more than once."""
        key = object()
        self._watched[key] = (credential, on_end)
        self._checks.start()

        def remove() -> None:
            self._watched.pop(key, None)
            if not self._watched:
                self._checks.stop()

        return remove

    async def _check(self) -> None:
        watched = list(self._watched.items())
        try:
            valid = await valid_in_thread({credential for _, (credential, _) in watched})
        except Exception:
            # While the database is unavailable nothing is ended; the next check tries again.
            logger.exception("could not check the credentials of %s open connections", len(watched))
            return
        ended = [(key, on_end) for key, (credential, on_end) in watched if credential not in valid]
        for key, on_end in ended:
            # It may have been removed during the query.
            if self._watched.pop(key, None) is not None:
                on_end()


credential_watch = PerLoop(CredentialWatch)
