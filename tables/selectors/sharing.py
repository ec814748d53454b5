"""Sharing: members of a table, its reading link, and invitations."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import F, Q, QuerySet

from shared.user_messages import declare
from tables.exceptions import NotFound
from tables.models import Invitation, Member, ReadOnlyLink, Table
from tables.operations.tokens import token_hash

NOTHING_AT_ADDRESS = declare("nothing_at_address", "Nothing found at this address.")
NO_SUCH_MEMBER = declare("no_such_member", "Member not found in this table.")
INVITATION_NOT_VALID = declare("invitation_not_valid", "This invitation is no longer valid.")

Kind = Invitation.Kind


def members_of(table: Table) -> QuerySet[Member]:
    """Return the members in the order in which they were added."""
    return table.members.exclude(user=None).select_related("user", "added_by").order_by("added_at", "id")


def member_named(table: Table, name: str) -> Member | None:
    """Return the member with exactly this user name."""
    return table.members.filter(user__username=name).select_related("user").first()


def get_member(table: Table, name: str) -> Member:
    """Return the member with exactly this user name. Raises NotFound."""
    member = member_named(table, name)
    if member is None:
        raise NotFound(NO_SUCH_MEMBER())
    return member


def shared_tables_of(user: Any) -> list[tuple[Table, list[str]]]:
    """Return the user's own tables that have members, by name, each with the names of the members."""
    members = Member.objects.filter(table__owner=user, table__deleted_at=None, user__is_active=True)
    found: dict[int, tuple[Table, list[str]]] = {}
    for member in members.select_related("table", "user").order_by("table__name", "table_id", "user__username"):
        assert member.user is not None
        found.setdefault(member.table_id, (member.table, []))[1].append(member.user.get_username())
    return list(found.values())


def read_only_link_of(table: Table) -> dict[str, Any] | None:
    """Return the creation and expiration times of the reading link; None if there is none."""
    link = ReadOnlyLink.objects.filter(table=table).first()
    if link is None:
        return None
    return {"created_at": link.created_at, "expires_at": link.expires_at}


def linked_table(token: str, *, now: datetime) -> Table:
    """Return the table of a reading link. Raises NotFound, also when the owner's account is inactive."""
    in_time = Q(expires_at=None) | Q(expires_at__gt=now)
    found = ReadOnlyLink.objects.filter(
        in_time, token_hash=token_hash(token), table__deleted_at=None, table__owner__is_active=True
    )
    link = found.select_related("table").first()
    if link is None:
        raise NotFound(NOTHING_AT_ADDRESS())
    return link.table


def invitation_kinds() -> tuple[str, ...]:
    """Return the kinds that this installation can send: by mail only if it has a mail server."""
    return tuple(str(kind) for kind in Kind if kind != Kind.EMAIL or settings.SENDS_MAIL)


def invitations_of(table: Table) -> QuerySet[Invitation]:
    """Return the open invitations, oldest first, including declined and expired ones."""
    return table.invitations.filter(accepted_at=None).order_by("created_at", "id")


def invitations_to(user: Any, *, now: datetime) -> QuerySet[Invitation]:
    """Return the invitations this user can answer, newest first.

    Declined ones and those to tables that the user already has are left out.
    """
    joined = Member.objects.filter(user_id=user.pk).values("table_id")
    found = _acceptable(now).filter(user_id=user.pk, declined_at=None).exclude(table_id__in=joined)
    return found.exclude(table__owner_id=user.pk).order_by("-created_at", "-id")


def invitations_by(user: Any) -> QuerySet[Invitation]:
    """Return the open invitations that this user has sent."""
    found = Invitation.objects.filter(invited_by=user, accepted_at=None, table__purging=False)
    return found.select_related("table").order_by("created_at", "id")


def acceptable_invitation(user: Any, *, key: str | int, now: datetime) -> Invitation:
    """Return the invitation to this user with this id, or to any user with this token. Raises NotFound."""
    found = _acceptable(now)
    found = found.filter(pk=key, user_id=user.pk) if isinstance(key, int) else found.filter(token_hash=token_hash(key))
    invitation = found.first()
    if invitation is None:
        raise NotFound(INVITATION_NOT_VALID())
    return invitation


def _acceptable(now: datetime) -> QuerySet[Invitation]:
    """Return invitations of the current owner, whose account is active, to a table outside the trash."""
    found = Invitation.objects.filter(accepted_at=None, expires_at__gt=now, invited_by__is_active=True)
    found = found.filter(table__deleted_at=None, table__purging=False, table__owner_id=F("invited_by_id"))
    return found.select_related("table", "invited_by")
