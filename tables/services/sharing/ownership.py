"""Owners of tables: transfer to a member, and the tables of a user who deletes the account."""
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from shared.user_messages import declare
from tables.exceptions import Invalid
from tables.models import Invitation, Member, Table
from tables.selectors.sharing import member_named
from tables.services.pipeline.announcements import announce_access
from tables.services.pipeline.locking import locked_table

SHARED_MEANWHILE = declare("shared_meanwhile", "A table was shared meanwhile. Check the list again.")
NO_LONGER_YOURS = declare("no_longer_yours", "You no longer own one of the tables. Check the list again.")
NO_LONGER_SHARED = declare(
    "no_longer_shared", "“{table}” is no longer shared with {name}. Check the list again."
)
NOT_A_MEMBER = declare("not_a_member", "Ownership can only be transferred to a member who can sign in.")


def transfer_ownership(*, user: Any, table_id: int, to: str) -> Table:
    """Make a member the owner; the previous owner becomes an editor.

    Invitations of the previous owner become void; the reading link remains valid. Raises NotFound, Forbidden, and
    Invalid ("not_a_member") for a user who is not an active member.
    """
    with transaction.atomic():
        table = locked_table(user, table_id, can="own")
        member = member_named(table, to)
        if member is None or member.user is None or not member.user.is_active:
            raise Invalid(NOT_A_MEMBER(), code="not_a_member")
        set_owner(table, to=member.user, by=user)
        return table


def set_owner(table: Table, *, to: Any, by: Any) -> None:
    """Set the owner of a locked table; the previous owner becomes an editor."""
    before = table.owner
    Member.objects.filter(table=table, user=to).delete()
    table.owner = to
    table.save(update_fields=["owner"])
    role = {"role": Member.Role.EDITOR, "added_by": by}
    Member.objects.update_or_create(table=table, user=before, defaults=role)
    table.invitations.filter(accepted_at=None).delete()
    announce_access(table)


def transfer_or_delete_tables(*, user: Any, heirs: Mapping[int, str], now: datetime) -> None:
    """Transfer each table of `heirs` (id → name) to that member, and delete the user's other tables.

    Memberships and invitations of the user end. Every shared table has to be in `heirs`, with "" for one to be deleted.
    Raises Invalid ("heirs") if tables or members have changed meanwhile.
    """
    with transaction.atomic():
        remaining = dict(heirs)
        for table in Table.objects.select_for_update().filter(owner=user, purging=False).order_by("pk"):
            shared = table.deleted_at is None and table.members.filter(user__is_active=True).exists()
            if shared and table.pk not in remaining:
                raise Invalid(SHARED_MEANWHILE(), code="heirs")
            heir = remaining.pop(table.pk, "")
            if heir:
                _transfer(table, to=heir)
            else:
                # Rows are deleted in batches later, like those of expired tables in the trash.
                table.deleted_at, table.purging = table.deleted_at or now, True
                table.save(update_fields=["deleted_at", "purging"])
            announce_access(table)
        if any(remaining.values()):
            raise Invalid(NO_LONGER_YOURS(), code="heirs")
        for membership in Member.objects.filter(user=user).select_related("table"):
            membership.delete()
            announce_access(membership.table)
        Invitation.objects.filter(invited_by=user, accepted_at=None).delete()


def _transfer(table: Table, *, to: str) -> None:
    member = member_named(table, to) if table.deleted_at is None else None
    if member is None or member.user is None or not member.user.is_active:
        raise Invalid(NO_LONGER_SHARED(table=table.name, name=to[:150]), code="heirs")
    table.owner = member.user
    table.save(update_fields=["owner"])
    member.delete()
