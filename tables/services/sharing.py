"""Who a table is shared with: members by name, invitations to pass on, the link for reading. The owner's alone."""
from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from tables.exceptions import Fault, Forbidden, Invalid, NotFound
from tables.models import Invitation, Member, ReadingLink, Table
from tables.operations.tokens import new_token, token_hash
from tables.selectors.access import OWNER, role_of
from tables.selectors.sharing import invited_to, member_named
from tables.services.announcing import announce_access
from tables.services.locking import locked_table

INVITATION_DAYS = 7
MOST_MEMBERS = 1_000
MOST_INVITATIONS = 100


@dataclass(frozen=True)
class Invited:
    """A new invitation; its token is never shown again."""

    id: int
    token: str
    role: str
    expires_at: datetime


@dataclass(frozen=True)
class Linked:
    """A new link for reading; its token is never shown again."""

    id: int
    token: str
    created_at: datetime
    expires_at: datetime | None


def add_member(*, user: Any, table_id: int, name: str, role: str) -> None:
    """Shares the table with the person of exactly this name; whether there is one is not told.

    Who is a member already gets the new role.
    """
    with transaction.atomic():
        table = locked_table(user, table_id, can="own")
        if name == table.owner.get_username():
            raise Invalid("This is the owner of the table.", code="owner")
        person = get_user_model().objects.filter(username=name).first()
        member = member_named(table, name) or Member(table=table)
        if member.pk is None and table.members.count() >= MOST_MEMBERS:
            raise Invalid(f"A table has at most {MOST_MEMBERS:,} members.", code="too_many")
        member.user, member.name, member.role, member.added_by = person, name, role, user
        member.save()
        announce_access(table)


def change_member(*, user: Any, table_id: int, name: str, role: str) -> None:
    """Gives a member another role. Raises NotFound."""
    with transaction.atomic():
        table = locked_table(user, table_id, can="own")
        member = member_named(table, name)
        if member is None:
            raise NotFound("There is no such member of this table.")
        member.role = role
        member.save(update_fields=["role"])
        announce_access(table)


def remove_member(*, user: Any, table_id: int, name: str) -> None:
    """Ends a membership: the owner anybody's, a member his own. Raises NotFound."""
    with transaction.atomic():
        table = locked_table(user, table_id, can="view")
        if name != user.get_username() and role_of(user, table) != OWNER:
            raise Forbidden("Only the owner of this table may do this.")
        member = member_named(table, name)
        if member is None:
            raise NotFound("There is no such member of this table.")
        member.delete()
        announce_access(table)


def invite(*, user: Any, table_id: int, role: str, now: datetime) -> Invited:
    """An invitation for whoever opens its link first, within seven days."""
    with transaction.atomic():
        table = locked_table(user, table_id, can="own")
        table.invitations.filter(expires_at__lte=now).delete()
        if table.invitations.filter(accepted_at=None).count() >= MOST_INVITATIONS:
            raise Invalid(f"There are {MOST_INVITATIONS} open invitations already.", code="too_many")
        token = new_token()
        expires_at = now + timedelta(days=INVITATION_DAYS)
        made = Invitation.objects.create(
            table=table, token_hash=token_hash(token), role=role, invited_by=user, expires_at=expires_at
        )
    return Invited(made.pk, token, role, expires_at)


def withdraw_invitation(*, user: Any, table_id: int, invitation_id: int) -> None:
    """Makes an open invitation void. Raises NotFound."""
    with transaction.atomic():
        table = locked_table(user, table_id, can="own")
        deleted, _ = table.invitations.filter(pk=invitation_id, accepted_at=None).delete()
        if not deleted:
            raise NotFound("There is no such open invitation.")


def accept_invitation(*, user: Any, token: str, now: datetime) -> Table:
    """Makes the person a member, once. Raises NotFound for a void invitation.

    Who has the table already keeps the greater of both roles.
    """
    with transaction.atomic():
        table = Table.objects.select_for_update().get(pk=invited_to(token, now=now).table_id)
        # Asked again under the lock: of two people with one link, one is first.
        invitation = invited_to(token, now=now)
        role = role_of(user, table)
        if role == OWNER:
            raise Invalid("This table is yours already. Pass the link on.", code="owner")
        if role != Member.Role.EDITOR:
            member = table.members.filter(user=user).first() or member_named(table, user.get_username())
            member = member or Member(table=table)
            member.user, member.name, member.role = user, user.get_username(), invitation.role
            member.added_by = invitation.invited_by
            member.save()
        invitation.accepted_at, invitation.accepted_by = now, user
        invitation.save(update_fields=["accepted_at", "accepted_by"])
    return table


def make_link(*, user: Any, table_id: int, expires_at: datetime | None, now: datetime) -> Linked:
    """A link at which anybody can read the table; the one before is void from now on."""
    if expires_at is not None and expires_at <= now:
        detail = "This time has passed."
        raise Invalid(detail, code="past", faults=(Fault(path="expires_at", code="past", detail=detail),))
    token = new_token()
    with transaction.atomic():
        table = locked_table(user, table_id, can="own")
        values = {"token_hash": token_hash(token), "created_by": user, "created_at": now, "expires_at": expires_at}
        # A new one, not the old one changed: each link has an id of its own.
        ReadingLink.objects.filter(table=table).delete()
        link = ReadingLink.objects.create(table=table, **values)
    return Linked(link.pk, token, now, expires_at)


def remove_link(*, user: Any, table_id: int) -> None:
    """Makes the link void, if there is one."""
    with transaction.atomic():
        ReadingLink.objects.filter(table=locked_table(user, table_id, can="own")).delete()
