"""Tables and their columns, and the view settings of a user."""
from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import (
    BooleanField,
    Case,
    Count,
    F,
    OuterRef,
    QuerySet,
    Subquery,
    TextField,
    Value,
    When,
)
from django.db.models.expressions import OrderBy, RawSQL
from django.utils import timezone

from shared.db import CompiledQuery
from shared.user_messages import declare
from tables.column_types import ColumnSpec, TableShape, get_column_type
from tables.column_types.people import NO_PEOPLE, People
from tables.exceptions import Forbidden, NotFound
from tables.models import Change, Column, Member, PersonalView, Row, Table
from tables.operations.queries.view_settings import ViewSettings, stored_view_settings
from tables.selectors.access import OWNER, REFUSALS, ROLES, Right, role_by, tables_of
from tables.selectors.file_directory import TableFiles
from tables.selectors.people import people_of
from tables.selectors.sql.conditions import words_of
from tables.selectors.sql.table_names import name_contains, name_folded

TABLE_FIELDS = [field.attname for field in Table._meta.concrete_fields]
COLUMN_FIELDS = [field.attname for field in Column._meta.concrete_fields]
OWNER_FIELDS = [field.attname for field in get_user_model()._meta.concrete_fields]
MAX_ID = 2**63 - 1
NO_SUCH_TABLE = declare("no_such_table", "Table not found.")
# Time for which a table can be restored from the trash.
TRASH_RETENTION = timedelta(days=30)


class CountedTables(QuerySet[Any]):
    """Tables with `row_count`: the stored count, or one that a further query counts for all tables without it.

    Nearly all tables have a stored count. A subquery would be planned for all partitions of the rows even if no table
    needs it.
    """

    def _fetch_all(self) -> None:
        was_read = self._result_cache is not None
        super()._fetch_all()
        if not was_read:
            _add_row_counts([table for table in self._result_cache or () if isinstance(table, Table)])


def _add_row_counts(tables: Sequence[Any]) -> None:
    unknown = [table.pk for table in tables if table.known_rows is None]
    rows = Row.objects.filter(table_id__in=unknown, deleted_at__isnull=True).order_by()
    counts = dict(rows.values_list("table_id").annotate(n=Count("*"))) if unknown else {}
    for table in tables:
        table.row_count = counts.get(table.pk, 0) if table.known_rows is None else table.known_rows


def tables_for(user: Any, *, search: str = "", trashed: bool = False) -> QuerySet[Any]:
    """Return the user's tables and those shared with the user, the last changed first.

    Each has `row_count`, `role` (that of this user), and its columns and owner prefetched. `search`: every word must be
    in the name or the description, regardless of case. Raises Malformed.
    """
    tables: QuerySet[Any] = tables_of(user, trashed=trashed)
    for word in words_of(search):
        found = name_contains(word)
        tables = tables.filter(RawSQL(found.text, found.params, output_field=BooleanField()))
    membership = Member.objects.filter(table_id=OuterRef("pk"), user_id=user.pk).values("role")[:1]
    role = Case(When(owner_id=user.pk, then=Value(OWNER)), default=Subquery(membership))
    counted = CountedTables(model=Table, query=tables.annotate(role=role).query)
    return counted.select_related("owner").prefetch_related("columns").order_by("-updated_at", "-id")


def with_last_actor(tables: QuerySet[Any]) -> QuerySet[Any]:
    """Annotate tables with `changed_by`, the name of the user who changed it last; None if not stored."""
    last = Change.objects.filter(table_id=OuterRef("pk"), version=OuterRef("version"))
    return tables.annotate(changed_by=Subquery(last.values("actor__username")[:1]))


def sort_tables(tables: QuerySet[Any], *, by: str) -> QuerySet[Any]:
    """Sort tables by one field, descending with `-` before it; ties newest first.

    Names sort like text cells.
    """
    field, descending = by.removeprefix("-"), by.startswith("-")
    folded = name_folded()
    key = RawSQL(folded.text, folded.params, output_field=TextField()) if field == "name" else F(field)
    return tables.order_by(OrderBy(key, descending=descending), "-id")


def get_table(user: Any, table_id: int, *, can: Right = "view", trashed: bool = False) -> Table:
    """Return the table with this id, with the `role` of this user.

    Raises NotFound if there is none that the user may view, Forbidden if the user lacks the right `can`.
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
    table.reader_id = user.pk  # type: ignore[attr-defined]  # for `people_of`
    return table


def get_any_table(table_id: int) -> Table:
    """Return a table regardless of its owner, for management commands only. Raises NotFound."""
    table = Table.objects.filter(pk=table_id, deleted_at__isnull=True, purging=False).first()
    if table is None:
        raise NotFound(NO_SUCH_TABLE())
    return table


def table_shape(table: Table) -> TableShape:
    """Return the table and its columns as plain values, for the user whose time zone is the current one."""
    people, zone = people_of(table), timezone.get_current_timezone()
    columns = tuple(column_spec(column, zone=zone, people=people) for column in columns_of(table))
    shape = TableShape(
        id=table.pk, name=table.name, description=table.description, version=table.version, columns=columns,
        zone=zone, people=people,
    )  # fmt: skip
    if any(get_column_type(column.type).has_files for column in columns):
        shape = shape.with_files(TableFiles(table.pk))
    if any(column.names_people for column in columns):
        # Read now, because later uses may be in a thread without a connection.
        _ = people.all
    if any(get_column_type(column.type).has_times(column) for column in columns):
        # A zone that reads the profile of the user later may do so in a thread without a connection.
        shape = shape.in_zone(ZoneInfo(timezone.get_current_timezone_name()))
    return shape


def columns_of(table: Table) -> list[Column]:
    """Return the columns of a table in order, which are not read again if they were prefetched."""
    if "columns" in getattr(table, "_prefetched_objects_cache", {}):
        return list(table.columns.all())
    return [Column.from_db(connection.alias, COLUMN_FIELDS, row) for row in COLUMNS.rows(table_id=table.pk)]


def column_spec(column: Column, *, zone: tzinfo = UTC, people: People = NO_PEOPLE) -> ColumnSpec:
    """Return a stored column as plain values, for users in this time zone, with the people of the table."""
    return ColumnSpec(
        id=column.pk,
        name=column.name,
        type=column.type,
        required=column.required,
        default=get_column_type(column.type).normalise(column.default),
        options=tuple(column.options),
        option_colors=tuple(column.option_colors.items()),
        filter_display=column.filter_display,
        settings=tuple(column.settings.items()),
        position=column.position,
        zone=zone,
        people=people,
    )


def table_and_membership(user: Any, *, table_id: int, trashed: bool) -> tuple[Table, str] | None:
    """Return the table with its owner, and the role of this user as a member ("" for none), in one query.

    None if there is no such table.
    """
    found = (IN_TRASH if trashed else IN_USE).rows(table_id=table_id, user_id=getattr(user, "pk", None))
    if not found:
        return None
    *values, membership = found[0]
    table = Table.from_db(connection.alias, TABLE_FIELDS, values[: len(TABLE_FIELDS)])
    table.owner = get_user_model().from_db(connection.alias, OWNER_FIELDS, values[len(TABLE_FIELDS) :])
    return table, membership or ""


def _in_use(*, table_id: int, user_id: int) -> QuerySet[Table, tuple[Any, ...]]:
    return _table(Table.objects.filter(pk=table_id, deleted_at__isnull=True), user_id=user_id)


def _in_trash(*, table_id: int, user_id: int) -> QuerySet[Table, tuple[Any, ...]]:
    return _table(Table.objects.filter(pk=table_id, deleted_at__isnull=False), user_id=user_id)


def _table(tables: QuerySet[Table], *, user_id: int) -> QuerySet[Table, tuple[Any, ...]]:
    membership = Member.objects.filter(table_id=OuterRef("pk"), user_id=user_id).order_by().values("role")[:1]
    owner_fields = [f"owner__{name}" for name in OWNER_FIELDS]
    return tables.order_by().values_list(*TABLE_FIELDS, *owner_fields, Subquery(membership))


def _columns(*, table_id: int) -> QuerySet[Column, tuple[Any, ...]]:
    return Column.objects.filter(table_id=table_id).values_list(*COLUMN_FIELDS)


# Building these queries takes longer than running them.
IN_USE = CompiledQuery(_in_use, table_id=int, user_id=int)
IN_TRASH = CompiledQuery(_in_trash, table_id=int, user_id=int)
COLUMNS = CompiledQuery(_columns, table_id=int)


def get_view_settings(user: Any, table: Table, *, shape: TableShape) -> ViewSettings:
    """Return the user's column widths and hidden columns; the default settings if none are stored."""
    stored = PersonalView.objects.filter(table_id=table.pk, user_id=user.pk).first()
    return stored_view_settings(widths=stored.widths, hidden=stored.hidden, shape=shape) if stored else ViewSettings()
