"""Reads who a table is shared with, and finds what a token opens."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from shared.user_messages import declare
from tables.exceptions import NotFound
from tables.models import Member, ReadingLink, Table
from tables.operations.tokens import token_hash

NOTHING_AT_ADDRESS = declare("nothing_at_address", "There is nothing at this address.")


def members_of(table: Table) -> QuerySet[Member]:
    """Return the members as they were added."""
    return table.members.exclude(user=None).select_related("user", "added_by").order_by("added_at", "id")


def member_named(table: Table, name: str) -> Member | None:
    """Return the member with exactly this user name."""
    return table.members.filter(user__username=name).select_related("user").first()


def shared_tables_of(user: Any) -> list[tuple[Table, list[str]]]:
    """This person's own tables that others are members of, by name, each with the names of those members."""
    members = Member.objects.filter(table__owner=user, table__deleted_at=None, user__is_active=True)
    found: dict[int, tuple[Table, list[str]]] = {}
    for member in members.select_related("table", "user").order_by("table__name", "table_id", "user__username"):
        assert member.user is not None
        found.setdefault(member.table_id, (member.table, []))[1].append(member.user.get_username())
    return list(found.values())


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
        raise NotFound(NOTHING_AT_ADDRESS())
    return link.table
