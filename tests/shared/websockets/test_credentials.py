"""WebSocket authentication by session or bearer token."""

from __future__ import annotations

from django.contrib.auth.models import User

from accounts.sessions.store import SessionStore
from shared.websockets.credentials import authenticate
from tests.tables.consumers.sockets import session_of


def test_an_authorization_header_of_a_proxy_does_not_hide_the_session(user: User) -> None:
    session = SessionStore(session_of(user))
    for headers in ([], [(b"authorization", b"Basic eDp5")]):
        credentials = authenticate({"session": session, "headers": headers})
        assert credentials is not None
        assert credentials[0] == user
