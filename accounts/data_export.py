"""The archive of a user's data."""
from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import IO, Any

from accounts.mail.addresses import unconfirmed_address_of
from accounts.profiles import FIELDS, profile_of
from accounts.sessions.user_sessions import sessions_of
from accounts.sign_in.second_step import second_steps_of
from accounts.sign_in.single_sign_on import identities_of
from accounts.tokens import tokens_for
from chat.selectors import export_conversations
from shared import strictjson
from tables import selectors

Json = dict[str, Any]

UNSAFE_CHARACTERS = re.compile(r"[^\w .-]+")
MAX_NAME_LENGTH = 60
README = """Your data as JSON files.

profile.json        your profile, active sessions, second steps and tokens (without secrets), tables that others
                    share with you, and invitations to tables
tables/             one file for each of your tables, including those in the trash, with columns and rows
conversations.json  your conversations with the assistant, including all branches

Cells are listed by the name of their column. Empty cells are left out.
"""


def write_own_data(file: IO[bytes], *, user: Any, now: datetime) -> None:
    """Write the archive. Rows and messages are read in parts."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", README)
        archive.writestr("profile.json", strictjson.dumps(_profile(user, now=now)))
        for table in _own_tables(user):
            name = UNSAFE_CHARACTERS.sub("_", table.name)[:MAX_NAME_LENGTH].strip(" .")
            _write(archive, f"tables/{table.pk} {name}.json", _table(table))
        _write(archive, "conversations.json", _list("", export_conversations(user), end=""))


def _write(archive: zipfile.ZipFile, name: str, pieces: Iterable[str]) -> None:
    with archive.open(name, "w", force_zip64=True) as entry:
        for piece in pieces:
            entry.write(piece.encode())


def _profile(user: Any, *, now: datetime) -> Json:
    known = profile_of(user)
    return {
        "user_name": user.get_username(),
        "email": user.email,
        "email_to_be_confirmed": unconfirmed_address_of(user),
        **{field: getattr(known, field) for field in FIELDS},
        "joined_at": user.date_joined.isoformat(),
        "last_signed_in_at": user.last_login.isoformat() if user.last_login else None,
        "single_sign_on": identities_of(user),
        "second_steps": second_steps_of(user),
        "signed_in": [
            {"since": each.created_at.isoformat(), "ip": each.ip, "browser": each.user_agent}
            for each in sessions_of(user, now=now)
        ],
        "tokens": [
            {"name": each.name, "scope": each.scope, "created_at": each.created_at.isoformat(),
             "expires_at": each.expires_at.isoformat()}
            for each in tokens_for(user, now=now)
        ],
        "shared_with_you": [
            {"id": table.pk, "name": table.name, "owner": table.owner.get_username(), "role": table.role}
            for table in selectors.tables_for(user)
            if table.owner_id != user.pk
        ],
        "invitations_to_you": [
            {"table": each.table.name, "invited_by": each.invited_by.get_username(), **_invitation(each)}
            for each in selectors.invitations_to(user, now=now)
        ],
        "invitations_by_you": [
            {"table": each.table.name, "kind": each.kind, "name": each.name, **_invitation(each)}
            for each in selectors.invitations_by(user)
        ],
    }  # fmt: skip


def _invitation(invitation: Any) -> Json:
    times = {name: getattr(invitation, name).isoformat() for name in ("created_at", "expires_at")}
    return {"role": invitation.role, **times}


def _own_tables(user: Any) -> Iterator[selectors.Table]:
    for trashed in (False, True):
        for table in selectors.tables_for(user, trashed=trashed):
            if table.owner_id == user.pk:
                yield table


def _table(table: selectors.Table) -> Iterator[str]:
    shape = selectors.table_shape(table)
    names = {column.id: column.name for column in shape.columns}
    about = {
        "id": table.pk,
        "name": table.name,
        "description": table.description,
        "created_at": table.created_at.isoformat(),
        "deleted_at": table.deleted_at.isoformat() if table.deleted_at else None,
        "columns": [column.as_json() for column in shape.columns],
    }
    rows = selectors.iterate_rows(table, shape=shape)
    listed = ({"id": row.id, "data": {names[key]: value for key, value in row.data.items()}} for row in rows)
    yield from _list(strictjson.dumps(about)[:-1] + ',"rows":', listed, end="}")


def _list(start: str, items: Iterable[Json], *, end: str) -> Iterator[str]:
    """Yield a JSON list with a line for each item."""
    yield start + "["
    for number, item in enumerate(items):
        yield (",\n" if number else "\n") + strictjson.dumps(item)
    yield "\n]" + end
