"""The archive of a user's data."""
from __future__ import annotations

import zipfile
from collections.abc import Iterable
from datetime import datetime
from typing import IO, Any

from accounts.mail.addresses import unconfirmed_address_of
from accounts.owned_data import json_list, owned_data
from accounts.profiles import FIELDS, profile_of
from accounts.sessions.user_sessions import sessions_of
from accounts.sign_in.second_step import second_steps_of
from accounts.sign_in.single_sign_on import identities_of
from accounts.tokens import tokens_for
from chat.selectors import export_conversations
from shared import strictjson

Json = dict[str, Any]

README = """Your data as JSON files.

profile.json        your profile, active sessions, second steps and tokens (without secrets)
conversations.json  your conversations with the assistant, including all branches
"""


def write_own_data(file: IO[bytes], *, user: Any, now: datetime) -> None:
    """Write the archive. Rows and messages are read in parts."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", README + "".join(data.readme for data in owned_data()))
        archive.writestr("profile.json", strictjson.dumps(_profile(user, now=now)))
        for data in owned_data():
            for name, pieces in data.files(user):
                _write(archive, name, pieces)
            for name, content in data.contents(user):
                _write_stored(archive, name, content)
        _write(archive, "conversations.json", json_list("", export_conversations(user), end=""))


def _write(archive: zipfile.ZipFile, name: str, pieces: Iterable[str]) -> None:
    with archive.open(name, "w", force_zip64=True) as entry:
        for piece in pieces:
            entry.write(piece.encode())


def _write_stored(archive: zipfile.ZipFile, name: str, content: Iterable[bytes]) -> None:
    with archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as entry:
        for piece in content:
            entry.write(piece)


def _profile(user: Any, *, now: datetime) -> Json:
    known = profile_of(user)
    archived = {
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
    }  # fmt: skip
    for data in owned_data():
        archived |= data.profile(user, now=now)
    return archived
