"""What becomes of the tables of somebody who leaves: some go to a member, all others for good."""
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

SHARED_MEANWHILE = declare("shared_meanwhile", "A table was shared meanwhile. Check the list again.")
NO_LONGER_YOURS = declare("no_longer_yours", "A table is no longer yours to give. Check the list again.")
NO_LONGER_SHARED = declare(
    "no_longer_shared", "“{table}” is no longer shared with {name}. Check the list again."
)


def part_with_tables(*, user: Any, heirs: Mapping[int, str], now: datetime) -> None:
    """Gives each table of `heirs` (id → name) to that member of it and deletes all others for good; ends all that was
    shared with this person.

    Every table that is shared has to be in `heirs`, with "" for one that goes. Raises Invalid ("heirs") where what is
    shared, or with whom, is not what was said.
    """
    with transaction.atomic():
        left = dict(heirs)
        for table in Table.objects.select_for_update().filter(owner=user, purging=False).order_by("pk"):
            shared = table.deleted_at is None and table.members.filter(user__is_active=True).exists()
            if shared and table.pk not in left:
                raise Invalid(SHARED_MEANWHILE(), code="heirs")
            heir = left.pop(table.pk, "")
            if heir:
                _give(table, to=heir)
            else:
                # Rows go a part at a time, as those of the trash do whose time is over.
                table.deleted_at, table.purging = table.deleted_at or now, True
                table.save(update_fields=["deleted_at", "purging"])
            announce_access(table)
        if any(left.values()):
            raise Invalid(NO_LONGER_YOURS(), code="heirs")
        for membership in Member.objects.filter(user=user).select_related("table"):
            membership.delete()
            announce_access(membership.table)
        Invitation.objects.filter(invited_by=user, accepted_at=None).delete()


def _give(table: Table, *, to: str) -> None:
    member = member_named(table, to) if table.deleted_at is None else None
    if member is None or member.user is None or not member.user.is_active:
        raise Invalid(NO_LONGER_SHARED(table=table.name, name=to[:150]), code="heirs")
    table.owner = member.user
    table.save(update_fields=["owner"])
    member.delete()
