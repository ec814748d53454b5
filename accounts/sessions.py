"""Where a person is signed in, so that all of it can be ended: sessions do not say themselves whose they are."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.models import Session
from django.http import HttpRequest

from accounts.models import OpenSession


def connect() -> None:
    """Every way of signing in is noted."""
    user_logged_in.connect(_signed_in, dispatch_uid="accounts.sessions")


def note_session(request: HttpRequest, *, user: Any) -> None:
    """Remembers that the session of this request is this person's."""
    if request.session.session_key is None:
        request.session.create()
    OpenSession.objects.update_or_create(session_id=request.session.session_key, defaults={"user": user})


def count_sessions(user: Any, *, now: datetime) -> int:
    """In how many browsers the person is signed in."""
    return OpenSession.objects.filter(user_id=user.pk, session__expire_date__gt=now).count()


def end_sessions(*, user: Any) -> None:
    """Signs the person out everywhere."""
    Session.objects.filter(pk__in=OpenSession.objects.filter(user_id=user.pk).values("session_id")).delete()


def _signed_in(sender: Any, *, request: HttpRequest, user: Any, **_: Any) -> None:
    note_session(request, user=user)
