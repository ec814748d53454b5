"""What those who look after the installation do with other people's tables: the trash, and another owner."""
from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from shared.user_messages import declare
from tables.exceptions import Forbidden, Invalid, NotFound
from tables.models import Change, Table
from tables.operations.choice import Origin
from tables.selectors.tables import NO_SUCH_TABLE
from tables.services.sharing.ownership_transfer import hand_over
from tables.services.tables import moved

NO_SUCH_NEW_OWNER = declare("no_such_new_owner", "There is no active user “{name}”.")
ALREADY_OWNER = declare("already_owner", "{name} owns this table already.")
NOT_A_STEWARD = declare("not_a_steward", "Only administrators of all tables may do this.")
NOT_IN_TRASH = declare("not_in_trash", "There is no such table in the trash.")

RIGHT = "tables.change_table"


def may_look_after(user: Any) -> bool:
    """Whether this is staff who may move other people's tables to the trash, out of it, and to another owner."""
    return bool(user.is_active and user.is_staff and user.has_perm(RIGHT))


def trash_for_owner(*, steward: Any, table_id: int) -> Change:
    """Puts anybody's table in the trash, as a change in the steward's name. Raises Forbidden, NotFound."""
    with transaction.atomic():
        table = _locked(steward, table_id=table_id, trashed=False)
        return moved(table, user=steward, origin=Origin("admin"), deleted=True)


def restore_for_owner(*, steward: Any, table_id: int) -> Change:
    """Takes anybody's table out of the trash, as a change in the steward's name. Raises Forbidden, NotFound."""
    with transaction.atomic():
        table = _locked(steward, table_id=table_id, trashed=True)
        return moved(table, user=steward, origin=Origin("admin"), deleted=False)


def transfer_table(*, steward: Any, table_id: int, to: str) -> Table:
    """Gives the table to the active person of that name; who owned it stays as an editor, so that nobody is locked out
    unasked. Raises Forbidden, NotFound, Invalid ("unknown_person", "owner")."""
    with transaction.atomic():
        table = _locked(steward, table_id=table_id, trashed=None)
        person = get_user_model().objects.filter(username=to.replace("\x00", "")[:150], is_active=True).first()
        if person is None:
            raise Invalid(NO_SUCH_NEW_OWNER(name=to[:64]), code="unknown_person")
        if person.pk == table.owner_id:
            raise Invalid(ALREADY_OWNER(name=str(person)), code="owner")
        hand_over(table, to=person, by=steward)
        return table


def _locked(steward: Any, *, table_id: int, trashed: bool | None) -> Table:
    """The table, locked until the transaction ends, whoever owns it."""
    if not may_look_after(steward):
        raise Forbidden(NOT_A_STEWARD())
    found = Table.objects.select_for_update(of=("self",)).select_related("owner").filter(pk=table_id, purging=False)
    table = found.first()
    if table is None or (trashed is not None and (table.deleted_at is not None) != trashed):
        raise NotFound(NOT_IN_TRASH() if trashed else NO_SUCH_TABLE())
    return table
