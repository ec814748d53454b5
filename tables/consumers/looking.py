"""Finds who sits behind a session now, and whether they may see a table: asked anew each time, never remembered."""
from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest

from tables.consumers.presence import Person
from tables.exceptions import TablesError
from tables.selectors import get_table


@dataclass(frozen=True)
class Look:
    """What the answer was: no person when the session has ended, no version when the table is not theirs to see."""

    person: Person | None
    version: int | None = None


def look(session_key: str | None, table_id: int) -> Look:
    """Asks the session, the person and the table; all three may have changed since the last time."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user: Any = get_user(request)
    if not user.is_authenticated or not user.is_active:
        return Look(None)
    person = Person(name=user.get_full_name() or user.get_username(), key=user.pk)
    try:
        return Look(person, get_table(user, table_id).version)
    except TablesError:
        return Look(person)


# Not in the one thread that Django keeps for what must not run side by side: a slow database would stop every socket.
look_from_afar = database_sync_to_async(look, thread_sensitive=False)
