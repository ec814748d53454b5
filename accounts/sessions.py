"""Which sessions a user has. Django's sessions do not store that in a column, so they could not be ended together."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.models import Session
from django.db import transaction
from django.http import HttpRequest

from accounts.models import OpenSession


def connect() -> None:
    """Store the user of each session at sign-in."""
    user_logged_in.connect(_signed_in, dispatch_uid="accounts.sessions")


def note_session(request: HttpRequest, *, user: Any) -> None:
    """Store that the session of this request is this user's."""
    if request.session.session_key is None:
        request.session.create()
    OpenSession.objects.update_or_create(session_id=request.session.session_key, defaults={"user": user})


@contextmanager
def renewed_session(request: HttpRequest, *, user: Any) -> Iterator[None]:
    """Let turns of this session go on although the code inside gives it a new key.

    One transaction, so that a check of the turns sees the old session or the new one.
    """
    previous_key = request.session.session_key if request.user == user else None
    with transaction.atomic():
        yield
        note_session(request, user=user)
        request.session.save()
        if previous_key and previous_key != request.session.session_key:
            OpenSession.objects.filter(pk=request.session.session_key).update(previous_key=previous_key)


def count_sessions(user: Any, *, now: datetime) -> int:
    """Return in how many browsers the user is signed in."""
    return OpenSession.objects.filter(user_id=user.pk, session__expire_date__gt=now).count()


def end_sessions(*, user: Any) -> None:
    """Sign the user out everywhere."""
    Session.objects.filter(pk__in=OpenSession.objects.filter(user_id=user.pk).values("session_id")).delete()


def _signed_in(sender: Any, *, request: HttpRequest, user: Any, **_: Any) -> None:
    note_session(request, user=user)
