"""Reads who a table is shared with, and finds what a token opens."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import F, Q, QuerySet

from tables.exceptions import NotFound
from tables.models import Invitation, Member, ReadingLink, Table
from tables.operations.tokens import token_hash


def members_of(table: Table) -> QuerySet[Member]:
    """The members as they were added; those whose name nobody has look like the others."""
    return table.members.select_related("user", "added_by").order_by("added_at", "id")


def member_named(table: Table, name: str) -> Member | None:
    """The member of exactly this name."""
    found = table.members.filter(Q(user__username=name) | Q(user=None, name=name))
    return found.order_by(F("user_id").desc(nulls_last=True)).first()


def shared_tables_of(user: Any) -> list[tuple[Table, list[str]]]:
    """This person's own tables that others are members of, by name, each with the names of those members."""
    members = Member.objects.filter(table__owner=user, table__deleted_at=None, user__is_active=True)
    found: dict[int, tuple[Table, list[str]]] = {}
    for member in members.select_related("table", "user").order_by("table__name", "table_id", "user__username"):
        assert member.user is not None
        found.setdefault(member.table_id, (member.table, []))[1].append(member.user.get_username())
    return list(found.values())


def open_invitations(table: Table, *, now: datetime) -> QuerySet[Invitation]:
    """Those that can still be accepted."""
    return table.invitations.filter(accepted_at=None, expires_at__gt=now).order_by("created_at", "id")


def invited_to(token: str, *, now: datetime) -> Invitation:
    """The invitation of a token that can still be accepted, with its table. Raises NotFound."""
    found = Invitation.objects.filter(
        token_hash=token_hash(token), accepted_at=None, expires_at__gt=now,
        table__deleted_at=None, invited_by__is_active=True,
    )  # fmt: skip
    invitation = found.select_related("table", "invited_by").first()
    if invitation is None or invitation.table.owner_id != invitation.invited_by_id:
        raise NotFound("This invitation is no longer valid.")
    return invitation


def link_of(table: Table) -> dict[str, Any] | None:
    """When the link for reading was made and when it ends; never the link itself."""
    link = ReadingLink.objects.filter(table=table).first()
    if link is None:
        return None
    return {"created_at": link.created_at, "expires_at": link.expires_at}


def table_behind(token: str, *, now: datetime) -> Table:
    """The table that a link for reading opens: as long as its owner may come in, who alone could close it.

    Raises NotFound.
    """
    in_time = Q(expires_at=None) | Q(expires_at__gt=now)
    found = ReadingLink.objects.filter(
        in_time, token_hash=token_hash(token), table__deleted_at=None, table__owner__is_active=True
    )
    link = found.select_related("table").first()
    if link is None:
        raise NotFound("There is nothing at this address.")
    return link.table
