"""Write tables directly to the database, for tests of reading."""
from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from tables.column_types import search_text
from tables.models import Column, Row, Table
from tables.selectors import table_shape

Definition = tuple[str, str] | tuple[str, str, list[str]] | tuple[str, str, list[str], dict[str, Any]]


def write_table(owner: User, columns: list[Definition], rows: list[dict[str, Any]], *, name: str = "Jobs") -> Table:
    """Create a table with columns `(name, type, options?, settings?)` and rows by column name, in this order."""
    table = Table.objects.create(owner=owner, name=name)
    Column.objects.bulk_create(
        Column(
            table=table, name=definition[0], type=definition[1], position=position,
            options=definition[2] if len(definition) > 2 else [],
            settings=definition[3] if len(definition) > 3 else {},
        )
        for position, definition in enumerate(columns)
    )  # fmt: skip
    write_rows(table, rows)
    return table


def write_rows(table: Table, rows: list[dict[str, Any]]) -> None:
    """Add rows at the end."""
    shape = table_shape(table)
    ids = {column.name: column.id for column in shape.columns}
    start = Row.objects.filter(table=table).count()
    # The rows are written without the services, so that the stored row count is no longer valid.
    Table.objects.filter(pk=table.pk).update(counted_version=None)
    table.counted_version = None
    stored = [{ids[name]: value for name, value in row.items() if value is not None} for row in rows]
    Row.objects.bulk_create(
        Row(
            table=table, position=start + position, data=data,
            search_text=search_text(shape.columns, data),
        )
        for position, data in enumerate(stored)
    )  # fmt: skip


def write_copies(table: Table, row: dict[str, Any], *, count: int) -> None:
    """Add `count` rows with the same cells at the end, all but the first with one statement."""
    write_rows(table, [row])
    first = Row.objects.filter(table=table).latest("position")
    copied = "table_id, data, version, search_text, created_at, updated_at"
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO tables_row (position, {copied})"
            " WITH RECURSIVE numbers(number) AS"
            " (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < %s)"
            f" SELECT position + number, {copied} FROM tables_row, numbers WHERE id = %s",
            [count - 1, first.pk],
        )
