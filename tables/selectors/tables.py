"""Reads tables and their columns, of the person who asks and of nobody else."""
from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import (
    BooleanField,
    Case,
    F,
    Func,
    IntegerField,
    OuterRef,
    QuerySet,
    Subquery,
    TextField,
    Value,
    When,
)
from django.db.models.expressions import OrderBy, RawSQL

from shared.user_messages import declare
from tables.column_types import ColumnSpec, TableShape, get_column_type
from tables.exceptions import Forbidden, NotFound
from tables.models import Change, Column, Member, Row, Table
from tables.selectors.access import OWNER, REFUSALS, ROLES, Right, role_by, tables_of
from tables.selectors.conditions import words_of
from tables.selectors.dialects import name_contains, name_folded
from tables.selectors.one_table import table_and_membership

MAX_ID = 2**63 - 1
NO_SUCH_TABLE = declare("no_such_table", "There is no such table.")
# So long a table can be taken out of the trash.
TRASH_KEPT = timedelta(days=30)


def tables_for(user: Any, *, search: str = "", trashed: bool = False) -> QuerySet[Any]:
    """The person's tables and those shared with them, the last changed first.

    Each has its `row_count`, its columns and its owner at hand, and as `role` what this person is to it.

    `search`: every word in the name or the description, without regard to case. Raises Malformed.
    """
    tables: QuerySet[Any] = tables_of(user, trashed=trashed)
    for word in words_of(search):
        found = name_contains(word)
        tables = tables.filter(RawSQL(found.text, found.params, output_field=BooleanField()))
    rows = Row.objects.filter(table_id=OuterRef("pk"), deleted_at__isnull=True).order_by()
    # `Count` would group the rows first, which takes three times as long.
    counted = rows.annotate(n=Func(F("pk"), function="COUNT", output_field=IntegerField())).values("n")
    membership = Member.objects.filter(table_id=OuterRef("pk"), user_id=user.pk).values("role")[:1]
    role = Case(When(owner_id=user.pk, then=Value(OWNER)), default=Subquery(membership))
    known = When(counted_version=F("version"), then=F("counted_rows"))
    tables = tables.annotate(row_count=Case(known, default=Subquery(counted)), role=role)
    return tables.select_related("owner").prefetch_related("columns").order_by("-updated_at", "-id")


def with_last_actor(tables: QuerySet[Any]) -> QuerySet[Any]:
    """The same tables, each with `changed_by`, the name of who changed it last; None where that is not kept."""
    last = Change.objects.filter(table_id=OuterRef("pk"), version=OuterRef("version"))
    return tables.annotate(changed_by=Subquery(last.values("actor__username")[:1]))


def in_order(tables: QuerySet[Any], *, by: str) -> QuerySet[Any]:
    """Tables sorted by one field, `-` before it for descending: names as cells of text are; ties the newest first."""
    field, descending = by.removeprefix("-"), by.startswith("-")
    folded = name_folded()
    key = RawSQL(folded.text, folded.params, output_field=TextField()) if field == "name" else F(field)
    return tables.order_by(OrderBy(key, descending=descending), "-id")


def get_table(user: Any, table_id: int, *, can: Right = "view", trashed: bool = False) -> Table:
    """The table with this id, its `role` being what this person is to it.

    Raises NotFound when there is none this person may see, Forbidden when they may not do what they ask for.
    """
    possible = isinstance(table_id, int) and 0 < table_id <= MAX_ID
    found = table_and_membership(user, table_id=table_id, trashed=trashed) if possible else None
    if found is None:
        raise NotFound(NO_SUCH_TABLE())
    table, membership = found
    role = role_by(user, table, membership=membership)
    if role not in ROLES["view"]:
        raise NotFound(NO_SUCH_TABLE())
    if role not in ROLES[can]:
        raise Forbidden(REFUSALS[can])
    table.role = role  # type: ignore[attr-defined]  # what `tables_for` annotates
    return table


def table_for_operators(table_id: int) -> Table:
    """A table of whomever, for commands on the machine itself; never for a door. Raises NotFound."""
    table = Table.objects.filter(pk=table_id, deleted_at__isnull=True, purging=False).first()
    if table is None:
        raise NotFound(NO_SUCH_TABLE())
    return table


def table_shape(table: Table) -> TableShape:
    """The table and its columns as plain values."""
    return TableShape(
        id=table.pk,
        name=table.name,
        description=table.description,
        version=table.version,
        columns=tuple(column_spec(column) for column in table.columns.all()),
    )


def column_spec(column: Column) -> ColumnSpec:
    """A stored column as a plain value."""
    return ColumnSpec(
        id=column.pk,
        name=column.name,
        type=column.type,
        required=column.required,
        default=get_column_type(column.type).normalise(column.default),
        options=tuple(column.options),
        option_colors=tuple(column.option_colors.items()),
        filter_display=column.filter_display,
        position=column.position,
    )
