"""Members of a table and its reading link."""
from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from shared.user_messages import declare
from tables.exceptions import Fault, Forbidden, Invalid
from tables.models import FormerMember, Member, ReadOnlyLink, Table
from tables.operations.tokens import new_token, token_hash
from tables.selectors.access import OWNER, REFUSALS, role_of
from tables.selectors.sharing import get_member, invitations_of
from tables.services.pipeline.announcements import announce_access
from tables.services.pipeline.locking import locked_table

TIME_PASSED = declare("time_passed", "This time is in the past.")


@dataclass(frozen=True)
class CreatedLink:
    """A new reading link; its token is never shown again."""

    id: int
    token: str
    created_at: datetime
    expires_at: datetime | None


def change_member(*, user: Any, table_id: int, name: str, role: str) -> None:
    """Change the role of a member. Raises NotFound."""
    with transaction.atomic():
        table = locked_table(user, table_id, can="own")
        member = get_member(table, name)
        if role != Member.Role.EDITOR:
            _void_invitations(table, user=member.user)
        member.role = role
        member.save(update_fields=["role"])
        announce_access(table)


def remove_member(*, user: Any, table_id: int, name: str) -> None:
    """Remove a member: the owner may remove all, members only themselves. Raises NotFound, Forbidden."""
    with transaction.atomic():
        table = locked_table(user, table_id, can="view")
        if name != user.get_username() and role_of(user, table) != OWNER:
            raise Forbidden(REFUSALS["own"])
        member = get_member(table, name)
        _void_invitations(table, user=member.user)
        member.delete()
        FormerMember.objects.get_or_create(table=table, user=member.user)
        announce_access(table)


def create_link(*, user: Any, table_id: int, expires_at: datetime | None, now: datetime) -> CreatedLink:
    """Create a link with which anyone can read the table; the previous one becomes void."""
    if expires_at is not None and expires_at <= now:
        message = TIME_PASSED()
        raise Invalid(message, code="past", faults=(Fault(path="expires_at", code="past", message=message),))
    token = new_token()
    with transaction.atomic():
        table = locked_table(user, table_id, can="own")
        values = {"token_hash": token_hash(token), "created_by": user, "created_at": now, "expires_at": expires_at}
        # A new row, because each link has its own id.
        ReadOnlyLink.objects.filter(table=table).delete()
        link = ReadOnlyLink.objects.create(table=table, **values)
    return CreatedLink(link.pk, token, now, expires_at)


def remove_link(*, user: Any, table_id: int) -> None:
    """Delete the reading link, if there is one."""
    with transaction.atomic():
        ReadOnlyLink.objects.filter(table=locked_table(user, table_id, can="own")).delete()


def _void_invitations(table: Table, *, user: Any) -> None:
    """Void the open invitations to this member until they are sent again.

    The owner's list does not change, because that would reveal whose address it is.
    """
    invitations_of(table).filter(user=user).update(user=None, token_hash=None)
