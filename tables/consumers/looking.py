"""Finds who sits behind a session now, and whether they may see a table: asked anew each time, never remembered."""
from __future__ import annotations

from dataclasses import dataclass

from channels.db import database_sync_to_async

from sockets.session import person_behind
from tables.consumers.presence import Person
from tables.exceptions import TablesError
from tables.selectors import get_table


@dataclass(frozen=True)
class Look:
    """What the answer was: no person when the session has ended, no version when the table is not theirs to see.

    `role` is what they are to it: owner, editor or viewer.
    """

    person: Person | None
    version: int | None = None
    role: str = ""


def look(session_key: str | None, table_id: int) -> Look:
    """Asks the session, the person and the table; all three may have changed since the last time."""
    user = person_behind(session_key)
    if user is None:
        return Look(None)
    person = Person(name=user.get_full_name() or user.get_username(), key=user.pk)
    try:
        table = get_table(user, table_id)
        return Look(person, table.version, table.role)  # type: ignore[attr-defined]  # what the selector says beside
    except TablesError:
        return Look(person)


# Not in the one thread that Django keeps for what must not run side by side: a slow database would stop every socket.
look_from_afar = database_sync_to_async(look, thread_sensitive=False)
