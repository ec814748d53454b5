"""Sessions by user, stored as `UserSession` of django-allauth for every way to sign in."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.clients import client_ip

PREVIOUS_KEY = "previous_key"
# Marks the session of a login before its second step.
UNFINISHED = "unfinished"
USER_AGENT_LENGTH = UserSession._meta.get_field("user_agent").max_length
# Lifetime of a visitor's session, with a passkey challenge or the state of a single sign-on.
VISITOR_SECONDS = 10 * 60
# For a request without an address, such as one of the test client.
NO_IP = "0.0.0.0"


def record_session(request: HttpRequest, *, user: Any, previous_key: str = "", unfinished: bool = False) -> None:
    """Store the user, address and browser of the session of this request.

    `previous_key` is the key of the session before its user changed the password. Turns that began with it continue.
    An `unfinished` sign-in is not listed, but ends with all others.
    """
    if request.session.session_key is None:
        request.session.create()
    values = {
        "user": user,
        "ip": client_ip(request) or NO_IP,
        "user_agent": request.headers.get("User-Agent", "")[:USER_AGENT_LENGTH],
    }
    if previous_key:
        values["data"] = {PREVIOUS_KEY: previous_key}
    elif unfinished:
        values["data"] = {UNFINISHED: True}
    UserSession.objects.update_or_create(session_key=request.session.session_key, defaults=values)


def set_visitor_expiry(request: HttpRequest) -> None:
    """Give the new session of a visitor a short lifetime until sign-in."""
    if request.session.session_key is None:
        request.session.set_expiry(VISITOR_SECONDS)


@contextmanager
def renewed_session(request: HttpRequest, *, user: Any) -> Iterator[None]:
    """Keep turns of this session running while the code inside gives it a new key.

    One transaction, so that a check of the turns sees the old session or the new one.
    """
    previous_key = request.session.session_key
    with transaction.atomic():
        yield
        request.session.save()
        if previous_key != request.session.session_key:
            record_session(request, user=user, previous_key=previous_key or "")
            UserSession.objects.filter(session_key=previous_key).delete()


def sessions_of(user: Any, *, now: datetime) -> QuerySet[UserSession]:
    """Return the user's sessions that have not expired, the newest first."""
    open_keys = Session.objects.filter(expire_date__gt=now).values("session_key")
    found = UserSession.objects.filter(user_id=user.pk, session_key__in=open_keys)
    return found.exclude(data__has_key=UNFINISHED).order_by("-created_at", "-pk")


def end_sessions(*, user: Any, except_key: str | None = "") -> None:
    """Sign the user out everywhere except in the session with the key `except_key`."""
    with transaction.atomic():
        own = UserSession.objects.filter(user_id=user.pk).exclude(session_key=except_key)
        Session.objects.filter(pk__in=own.values("session_key")).delete()
        own.delete()
