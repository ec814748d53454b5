"""Reads one table with its owner and what a person is to it, in one statement: every door begins with it."""
from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import OuterRef, QuerySet, Subquery

from shared.db import Compiled
from tables.models import Member, Table

TABLE = [field.attname for field in Table._meta.concrete_fields]
PERSON = [field.attname for field in get_user_model()._meta.concrete_fields]


def table_and_membership(user: Any, *, table_id: int, trashed: bool) -> tuple[Table, str] | None:
    """The table, and as what it is shared with this person, "" if it is not; None if there is no such table."""
    found = (IN_TRASH if trashed else IN_USE).rows(table_id=table_id, user_id=getattr(user, "pk", None))
    if not found:
        return None
    *values, membership = found[0]
    table = Table.from_db(connection.alias, TABLE, values[: len(TABLE)])
    table.owner = get_user_model().from_db(connection.alias, PERSON, values[len(TABLE) :])
    return table, membership or ""


def _in_use(*, table_id: int, user_id: int) -> QuerySet[Table, tuple[Any, ...]]:
    return _table(Table.objects.filter(pk=table_id, deleted_at__isnull=True), user_id=user_id)


def _in_trash(*, table_id: int, user_id: int) -> QuerySet[Table, tuple[Any, ...]]:
    return _table(Table.objects.filter(pk=table_id, deleted_at__isnull=False), user_id=user_id)


def _table(tables: QuerySet[Table], *, user_id: int) -> QuerySet[Table, tuple[Any, ...]]:
    membership = Member.objects.filter(table_id=OuterRef("pk"), user_id=user_id).order_by().values("role")[:1]
    return tables.order_by().values_list(*TABLE, *(f"owner__{name}" for name in PERSON), Subquery(membership))


IN_USE = Compiled(_in_use, table_id=int, user_id=int)
IN_TRASH = Compiled(_in_trash, table_id=int, user_id=int)
