"""Authenticates a socket and checks whether its user may see the table."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from channels.db import database_sync_to_async

from shared.websockets.credentials import Credential, authenticate
from tables.consumers.presence import Person
from tables.exceptions import TablesError
from tables.selectors import access_to, get_table


@dataclass(frozen=True)
class Look:
    """The result: no person without a valid credential, no version when the user may not see the table.

    `role` is owner, editor or viewer.
    """

    person: Person | None
    credential: Credential | None = None
    version: int | None = None
    role: str = ""


def look(scope: dict[str, Any], table_id: int) -> Look:
    """Authenticate the handshake and read the table as its user."""
    found = authenticate(scope)
    if found is None:
        return Look(None)
    user, credential = found
    person = Person(name=user.get_full_name() or user.get_username(), key=user.pk)
    try:
        table = get_table(user, table_id)
        return Look(person, credential, table.version, table.role)  # type: ignore[attr-defined]  # set by the selector
    except TablesError:
        return Look(person, credential)


# Not in the one thread that Django uses for thread-sensitive work: a slow query there would delay every socket.
look_in_thread = database_sync_to_async(look, thread_sensitive=False)
access_in_thread = database_sync_to_async(access_to, thread_sensitive=False)
