"""The complete stored state of a table, for tests that it is restored exactly."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import connection
from django.db.models import Model, TextField
from django.db.models.expressions import RawSQL

from shared.strictjson import canonical_dumps
from tables.column_types import get_column_type, name_key
from tables.models import Row, Table
from tables.operations.columns import definition
from tables.selectors import read_rows, table_shape


def snapshot(table_id: int) -> dict[str, Any]:
    """Return name, description, columns and rows with ids, positions and order, without versions and times."""
    table = Table.objects.get(pk=table_id)
    shape = table_shape(table)
    stored = Row.objects.filter(table_id=table_id, deleted_at__isnull=True).order_by("position", "pk")
    assert table.known_rows in (None, stored.count()), "the number of rows is that of another state"
    return {
        "name": table.name,
        "description": table.description,
        "trashed": table.deleted_at is not None,
        # In Python True equals 1.
        "columns": [
            {**definition(column), "position": column.position, "begins_with": repr(column.default)}
            for column in shape.columns
        ],
        "rows": [(row.id, row.position, row.data) for row in read_rows(table, limit=100_000)],
        "texts": [sorted(text.split("\n")) for text in stored.values_list("search_text", flat=True)],
        "keys": [sorted(data) for data in stored.values_list("data", flat=True)],
    }


def every_value_fits(table_id: int) -> bool:
    """Return whether all cells belong to live columns, values and defaults fit them, and names are distinct."""
    table = Table.objects.get(pk=table_id)
    shape = table_shape(table)
    live = {column.id for column in shape.columns}
    stored = table.rows.filter(deleted_at__isnull=True).values_list("data", flat=True)
    if connection.vendor == "sqlite":
        # Equal rows are found by their text.
        written = stored.values_list(RawSQL("data", (), output_field=TextField()), flat=True)
        assert all(text == canonical_dumps(data) for text, data in zip(written, stored, strict=True))
    for column in shape.columns:
        # Formats do not restrict earlier values.
        get_column_type(column.type).check_restored(column.default, column)
    for row in read_rows(table, limit=100_000):
        for column in shape.columns:
            get_column_type(column.type).check_restored(row.data.get(column.id), column)
    names = {name_key(column.name) for column in shape.columns}
    return all(set(data) <= live for data in stored) and len(names) == len(live)


def stored_rows(models: Iterable[type[Model]]) -> dict[str, list[Any]]:
    """Return all rows of these models by table, read without the models because some tests do so very often."""
    found, quoted = {}, connection.ops.quote_name
    with connection.cursor() as cursor:
        for model in models:
            key = ", ".join(quoted(field.column) for field in model._meta.pk_fields)
            cursor.execute(f"SELECT * FROM {quoted(model._meta.db_table)} ORDER BY {key}")
            found[model._meta.db_table] = cursor.fetchall()
    return found
