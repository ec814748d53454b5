"""A table gets another owner: whoever has it gives it to a member, and stays in it as an editor."""
from __future__ import annotations

from typing import Any

from django.db import transaction

from shared.user_messages import declare
from tables.exceptions import Invalid
from tables.models import Member, Table
from tables.selectors.sharing import member_named
from tables.services.pipeline.announcements import announce_access
from tables.services.pipeline.locking import locked_table

NOT_A_MEMBER = declare("not_a_member", "A table can only be given to a member who can sign in.")


def give_table(*, user: Any, table_id: int, to: str) -> Table:
    """Makes the member of that name the owner; the owner until now edits it from then on.

    Invitations of the owner until now are void: whoever owns the table invites. The link for reading goes on.
    Raises NotFound, Forbidden, and Invalid ("not_a_member") for somebody with whom it is not shared, or who cannot
    come in.
    """
    with transaction.atomic():
        table = locked_table(user, table_id, can="own")
        member = member_named(table, to)
        if member is None or member.user is None or not member.user.is_active:
            raise Invalid(NOT_A_MEMBER(), code="not_a_member")
        hand_over(table, to=member.user, by=user)
        return table


def hand_over(table: Table, *, to: Any, by: Any) -> None:
    """Writes another owner into a locked table; who had it stays as an editor, so that nobody is locked out unasked."""
    before = table.owner
    Member.objects.filter(table=table, user=to).delete()
    table.owner = to
    table.save(update_fields=["owner"])
    role = {"role": Member.Role.EDITOR, "added_by": by}
    Member.objects.update_or_create(table=table, user=before, defaults=role)
    table.invitations.filter(accepted_at=None).delete()
    announce_access(table)
