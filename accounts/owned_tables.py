"""Tables as data of their users: export, deletion, and invitations. Imported only if the app `tables` is installed."""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import get_language

from accounts.exceptions import TooMany as TooManyTries
from accounts.owned_data import Json, OwnedData, json_list, register_owned_data
from accounts.rate_limits import count_invitation
from accounts.tasks import send_invitation
from shared import strictjson
from tables import selectors, signals
from tables.exceptions import TooMany
from tables.services import claim_invitations, read_content, release_invitations, transfer_or_delete_tables

# The fields with the new owners of tables, in the form that deletes an account.
FIELD_PREFIX = "table-"
UNSAFE_CHARACTERS = re.compile(r"[^\w .-]+")
MAX_NAME_LENGTH = 60
README = """\
tables/             one file for each of your tables, including those in the trash, with columns and rows
files/              the files of your tables, and those you added to tables of others; names begin with the id in cells

profile.json also has the tables that others share with you, and invitations to tables. In the files of tables, cells
are listed by the name of their column. Empty cells are left out.
"""


class OwnedTables(OwnedData):
    """The tables of a user, and invitations to tables."""

    readme = README

    def profile(self, user: Any, *, now: datetime) -> Json:
        """Return the tables that others share with the user, and invitations to and by the user."""
        return {
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
        }

    def files(self, user: Any) -> Iterator[tuple[str, Iterable[str]]]:
        """Yield a file for each of the user's tables, including those in the trash."""
        for trashed in (False, True):
            for table in selectors.tables_for(user, trashed=trashed):
                if table.owner_id == user.pk:
                    name = UNSAFE_CHARACTERS.sub("_", table.name)[:MAX_NAME_LENGTH].strip(" .")
                    yield f"tables/{table.pk} {name}.json", _table(table)

    def contents(self, user: Any) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Yield the files of the user's tables, and those that the user added to tables of others."""
        for file_id, name in selectors.files_of(user):
            yield f"files/{file_id} {UNSAFE_CHARACTERS.sub('_', name)}", read_content(file_id)

    def deletion_context(self, user: Any, *, choices: Mapping[str, str]) -> Json:
        """Return the shared tables with their possible new owners, and the number of the others."""
        shared, chosen = selectors.shared_tables_of(user), _heirs(choices)
        owned = selectors.tables_of(user, trashed=None).filter(owner_id=user.pk).count()
        return {
            "has_tables": True,
            "shared": [(table, members, chosen.get(table.pk, "")) for table, members in shared],
            "alone": owned - len(shared),
        }

    def close(self, *, user: Any, choices: Mapping[str, str], now: datetime) -> None:
        """Transfer shared tables to their new owners, and delete the others."""
        transfer_or_delete_tables(user=user, heirs=_heirs(choices), now=now)

    def remains(self, user_id: int) -> bool:
        """Return whether the user owns tables."""
        return selectors.owns_tables(user_id)

    def address_confirmed(self, *, user: Any, address: str) -> None:
        """List the invitations to this address for the user, and no longer those to an earlier one."""
        release_invitations(user=user, address=address)
        claim_invitations(user=user, address=address)

    def address_removed(self, *, user: Any) -> None:
        """Remove the invitations by e-mail from the user's list."""
        release_invitations(user=user)


def connect() -> None:
    """Register the tables, and connect the receivers that count and mail invitations."""
    register_owned_data(OwnedTables())
    signals.invitation_requested.connect(_count, dispatch_uid="accounts.invitations.count")
    signals.invitation_to_mail.connect(_enqueue, dispatch_uid="accounts.invitations.mail")


def _count(sender: Any, *, user: Any, kind: str, now: datetime, **_: Any) -> None:
    try:
        count_invitation(user, by_mail=kind == "email", now=now)
    except TooManyTries as error:
        raise TooMany(error.detail, extra=error.extra) from error


def _enqueue(sender: Any, *, invitation_id: int, site_url: str, **_: Any) -> None:
    send_invitation.enqueue(invitation_id, site_url, get_language() or settings.LANGUAGE_CODE)


def _heirs(choices: Mapping[str, str]) -> dict[int, str]:
    """Return the chosen new owners by table id."""
    chosen = {
        name.removeprefix(FIELD_PREFIX): value for name, value in choices.items() if name.startswith(FIELD_PREFIX)
    }
    return {
        int(number): value
        for number, value in chosen.items()
        if number.isascii() and number.isdecimal() and len(number) < 19
    }


def _invitation(invitation: Any) -> Json:
    times = {name: getattr(invitation, name).isoformat() for name in ("created_at", "expires_at")}
    return {"role": invitation.role, **times}


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
    yield from json_list(strictjson.dumps(about)[:-1] + ',"rows":', listed, end="}")
