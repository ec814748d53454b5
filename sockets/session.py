"""Finds who sits behind a session now: asked anew each time, for sessions end and people are sent away."""
from __future__ import annotations

from hashlib import sha256
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest


def session_key_of(scope: dict[str, Any]) -> str | None:
    """The key of the session a socket came with."""
    return getattr(scope.get("session"), "session_key", None)


def mark_of(session_key: str | None) -> str:
    """What a session can be told by among others without giving its key away."""
    return sha256((session_key or "").encode()).hexdigest()


def person_behind(session_key: str | None) -> Any:
    """The active user who is signed in with this session, or None."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user: Any = get_user(request)
    return user if user.is_authenticated and user.is_active else None
