"""Administration of tables of other users: move to and out of the trash, change the owner."""
from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from shared.user_messages import declare
from tables.exceptions import Forbidden, Invalid, NotFound
from tables.models import Change, Table
from tables.operations.proposals.choice import Origin
from tables.selectors.tables import NO_SUCH_TABLE
from tables.services.sharing.ownership import set_owner
from tables.services.tables import commit_move

NO_SUCH_NEW_OWNER = declare("no_such_new_owner", "There is no active user “{name}”.")
ALREADY_OWNER = declare("already_owner", "{name} owns this table already.")
NOT_A_STEWARD = declare("not_a_steward", "Only administrators of all tables may do this.")
NOT_IN_TRASH = declare("not_in_trash", "There is no such table in the trash.")

PERMISSION = "tables.change_table"


def can_administer_tables(user: Any) -> bool:
    """Return whether this user is staff with the right to administer tables of all users."""
    return bool(user.is_active and user.is_staff and user.has_perm(PERMISSION))


def trash_for_owner(*, steward: Any, table_id: int) -> Change:
    """Move any table to the trash, as a change by the steward. Raises Forbidden, NotFound."""
    with transaction.atomic():
        table = _locked(steward, table_id=table_id, trashed=False)
        return commit_move(table, user=steward, origin=Origin("admin"), deleted=True)


def restore_for_owner(*, steward: Any, table_id: int) -> Change:
    """Restore any table from the trash, as a change by the steward. Raises Forbidden, NotFound."""
    with transaction.atomic():
        table = _locked(steward, table_id=table_id, trashed=True)
        return commit_move(table, user=steward, origin=Origin("admin"), deleted=False)


def transfer_table(*, steward: Any, table_id: int, to: str) -> Table:
    """Make the active user of that name the owner; the former owner becomes an editor.

    Raises Forbidden, NotFound, Invalid ("unknown_person", "owner").
    """
    with transaction.atomic():
        table = _locked(steward, table_id=table_id, trashed=None)
        new_owner = get_user_model().objects.filter(username=to.replace("\x00", "")[:150], is_active=True).first()
        if new_owner is None:
            raise Invalid(NO_SUCH_NEW_OWNER(name=to[:64]), code="unknown_person")
        if new_owner.pk == table.owner_id:
            raise Invalid(ALREADY_OWNER(name=str(new_owner)), code="owner")
        set_owner(table, to=new_owner, by=steward)
        return table


def _locked(steward: Any, *, table_id: int, trashed: bool | None) -> Table:
    """Return the table of any owner, locked until the transaction ends."""
    if not can_administer_tables(steward):
        raise Forbidden(NOT_A_STEWARD())
    found = Table.objects.select_for_update(of=("self",)).select_related("owner").filter(pk=table_id, purging=False)
    table = found.first()
    if table is None or (trashed is not None and (table.deleted_at is not None) != trashed):
        raise NotFound(NOT_IN_TRASH() if trashed else NO_SUCH_TABLE())
    return table
