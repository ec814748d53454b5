"""Who may do what with a table: the one function every door asks."""
from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Literal

from django.db.models import CharField, Q, QuerySet
from django.db.models.functions import Cast

from shared.user_messages import Message, declare
from tables.models import Member, Table

Right = Literal["view", "edit", "own"]
OWNER = "owner"
# view: read and ask. edit: everything but what own is for. own: share, move to the trash and out of it.
ROLES: dict[Right, frozenset[str]] = {
    "view": frozenset({OWNER, Member.Role.EDITOR, Member.Role.VIEWER}),
    "edit": frozenset({OWNER, Member.Role.EDITOR}),
    "own": frozenset({OWNER}),
}
NOT_VIEWABLE = declare("not_viewable", "You may not look at this table.")
READ_ONLY = declare("read_only", "You may look at this table, but not change it.")
ONLY_OWNER = declare("only_owner", "Only the owner of this table may do this.")
REFUSALS: dict[Right, Message] = {"view": NOT_VIEWABLE(), "edit": READ_ONLY(), "own": ONLY_OWNER()}


@dataclass(frozen=True)
class TableAccess:
    """The version of a table, and the role of each user who may view it by their id."""

    version: int
    roles: dict[int, str] = field(default_factory=dict)


def access_to(table_ids: Collection[int], user_ids: Collection[int]) -> dict[int, TableAccess]:
    """Return who of these active users may view these tables, in two queries; trashed tables are missing."""
    if not table_ids:
        return {}
    tables = Table.objects.filter(pk__in=table_ids, deleted_at__isnull=True, purging=False)
    found = {}
    for table_id, version, owner_id in tables.values_list("pk", "version", "owner_id"):
        found[table_id] = TableAccess(version, {owner_id: OWNER})
    members = Member.objects.filter(table_id__in=table_ids, user_id__in=user_ids)
    for table_id, user_id, role in members.values_list("table_id", "user_id", "role"):
        if user_id is not None and table_id in found:
            found[table_id].roles.setdefault(user_id, role)
    return found


def allowed(user: Any, table: Table, *, can: Right) -> bool:
    """Whether the person may view, edit or own (share, delete) the table."""
    return role_of(user, table) in ROLES[can]


def role_of(user: Any, table: Table) -> str:
    """owner, editor, viewer, or "" for who has nothing to do with the table. The trash is its owner's alone."""
    role = _role_without_sharing(user, table)
    if role is None:
        role = Member.objects.filter(table_id=table.pk, user_id=user.pk).values_list("role", flat=True).first()
    return role or ""


def role_by(user: Any, table: Table, *, membership: str) -> str:
    """The same, where it is known as what the table is shared with the person; "" if it is not."""
    role = _role_without_sharing(user, table)
    return membership if role is None else role


def _role_without_sharing(user: Any, table: Table) -> str | None:
    """The role of a person with whom the table may or may not be shared; None where that decides."""
    if not (user and user.is_authenticated and user.is_active) or table.purging:
        return ""
    if table.owner_id == user.pk:
        return OWNER
    return None if table.deleted_at is None else ""


def tables_of(user: Any, *, trashed: bool | None = False) -> QuerySet[Table]:
    """The tables this person may view; `trashed` True is their own trash, None both."""
    if not (user and user.is_authenticated and user.is_active):
        return Table.objects.none()
    own = Q(owner_id=user.pk, purging=False)
    if trashed is not None:
        own &= Q(deleted_at__isnull=not trashed)
    owned = Table.objects.filter(own).values("pk")
    if trashed:
        return Table.objects.filter(pk__in=owned)
    shared = Member.objects.filter(user_id=user.pk, table__deleted_at__isnull=True).values("table_id")
    # A union: with "or", a database reads through everybody's tables.
    return Table.objects.filter(pk__in=owned.union(shared))


def tables_left_of(user_id: int) -> bool:
    """Whether anything at all is left of tables that this person owned, even of what nobody sees any more."""
    return Table.objects.filter(owner_id=user_id).exists()


def table_keys_of(user: Any) -> QuerySet[Any, Any]:
    """The ids of `tables_of` as text, their own trash included: for looking up where ids are kept as text."""
    return tables_of(user, trashed=None).annotate(key=Cast("pk", CharField())).values("key")
