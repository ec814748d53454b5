"""Writes the columns of a table so that they are exactly those planned."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shared.user_messages import declare
from tables.column_types import ColumnSpec
from tables.exceptions import Conflict
from tables.models import Column, Table

COLUMNS_EXIST = declare("columns_exist", "These columns have been added already.")

FIELDS = ("name", "type", "required", "default", "options", "option_colors", "filter_display", "position")


def write_columns(table: Table, *, before: Sequence[ColumnSpec], after: Sequence[ColumnSpec]) -> None:
    """Removes, adds and changes columns; those that stay the same are not touched."""
    was = {column.id: column for column in before}
    now = {column.id: column for column in after}
    gone = [key for key in was if key not in now]
    if gone:
        Column.objects.filter(table_id=table.pk, pk__in=gone).delete()
    changed = [_model(column, table=table) for column in after if column.id in was and column != was[column.id]]
    if changed:
        Column.objects.bulk_update(changed, FIELDS, batch_size=100)
    added = [_model(column, table=table) for column in after if column.id not in was]
    if added and Column.objects.filter(pk__in=[column.pk for column in added]).exists():
        raise Conflict(COLUMNS_EXIST(), code="exists_already")
    Column.objects.bulk_create(added)


def _model(column: ColumnSpec, *, table: Table) -> Column:
    values: dict[str, Any] = {name: getattr(column, name) for name in FIELDS}
    values |= {"options": list(column.options), "option_colors": dict(column.option_colors)}
    return Column(id=column.id, table_id=table.pk, **values)
