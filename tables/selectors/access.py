"""Access to tables: the rights of a user, and the tables that a user may view."""
from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Literal

from django.db.models import CharField, Q, QuerySet
from django.db.models.functions import Cast

from shared.user_messages import Message, declare
from tables.models import Column, Member, Row, Table

Right = Literal["view", "edit", "own"]
OWNER = "owner"
# view: read. edit: change the table. own: also share it, and move it to and out of the trash.
ROLES: dict[Right, frozenset[str]] = {
    "view": frozenset({OWNER, Member.Role.EDITOR, Member.Role.VIEWER}),
    "edit": frozenset({OWNER, Member.Role.EDITOR}),
    "own": frozenset({OWNER}),
}
NOT_VIEWABLE = declare("not_viewable", "You do not have access to this table.")
READ_ONLY = declare("read_only", "You can view this table, but not change it.")
ONLY_OWNER = declare("only_owner", "Only the owner of this table can do this.")
REFUSALS: dict[Right, Message] = {"view": NOT_VIEWABLE(), "edit": READ_ONLY(), "own": ONLY_OWNER()}


@dataclass(frozen=True)
class TableAccess:
    """The version of a table, and the role of each user who may view it by their id."""

    version: int
    roles: dict[int, str] = field(default_factory=dict)


def access_to(table_ids: Collection[int], user_ids: Collection[int]) -> dict[int, TableAccess]:
    """Return the access of these users to these tables, in two queries, without trashed tables and inactive users."""
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
    """Return whether the user may view, edit or own (share, delete) the table."""
    return role_of(user, table) in ROLES[can]


def role_of(user: Any, table: Table) -> str:
    """Return "owner", "editor", "viewer", or "" for no role. Only the owner has one in the trash."""
    role = _role_without_sharing(user, table)
    if role is None:
        role = Member.objects.filter(table_id=table.pk, user_id=user.pk).values_list("role", flat=True).first()
    return role or ""


def role_by(user: Any, table: Table, *, membership: str) -> str:
    """Return the role of a user whose role as a member is known: `membership`, "" for no member."""
    role = _role_without_sharing(user, table)
    return membership if role is None else role


def _role_without_sharing(user: Any, table: Table) -> str | None:
    """Return the role of a user apart from membership; None where membership decides."""
    if not (user and user.is_authenticated and user.is_active) or table.purging:
        return ""
    if table.owner_id == user.pk:
        return OWNER
    return None if table.deleted_at is None else ""


def tables_of(user: Any, *, trashed: bool | None = False) -> QuerySet[Table]:
    """Return the tables that this user may view. `trashed`: True for the user's own trash, None for both."""
    if not (user and user.is_authenticated and user.is_active):
        return Table.objects.none()
    own = Q(owner_id=user.pk, purging=False)
    if trashed is not None:
        own &= Q(deleted_at__isnull=not trashed)
    owned = Table.objects.filter(own).values("pk")
    if trashed:
        return Table.objects.filter(pk__in=owned)
    shared = Member.objects.filter(user_id=user.pk, table__deleted_at__isnull=True).values("table_id")
    # A union, because with OR a database would read the tables of all users.
    return Table.objects.filter(pk__in=owned.union(shared))


def owns_tables(user_id: int) -> bool:
    """Return whether any tables of this user are stored, even ones that are being purged."""
    return Table.objects.filter(owner_id=user_id).exists()


def table_ids_as_text(user: Any) -> QuerySet[Any, Any]:
    """Return the ids of `tables_of` and the own trash, for lookups where ids are stored as text."""
    return tables_of(user, trashed=None).annotate(key=Cast("pk", CharField())).values("key")


def viewable_tables(user: Any, table_ids: Collection[int]) -> set[int]:
    """Return those of these tables that the user may view, in one query; trashed ones are left out."""
    return set(tables_of(user).filter(pk__in=table_ids).values_list("pk", flat=True))


def tables_of_rows(user: Any, row_ids: Collection[int]) -> dict[int, int]:
    """Return row id → table id. A deleted row has its table as long as it can be restored."""
    # The ids of the tables, not a subquery, so that PostgreSQL reads only their partitions.
    table_ids = list(tables_of(user).values_list("pk", flat=True)) if row_ids else []
    rows = Row.objects.filter(pk__in=row_ids, table_id__in=table_ids)
    return dict(rows.values_list("pk", "table_id"))


def tables_of_columns(user: Any, column_ids: Collection[str]) -> dict[str, int]:
    """Return column id → table id, in one query."""
    columns = Column.objects.filter(pk__in=column_ids, table__in=tables_of(user).values("pk"))
    return dict(columns.values_list("pk", "table_id"))
