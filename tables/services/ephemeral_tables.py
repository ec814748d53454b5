"""Tables that exist only within a block and are rolled back afterwards."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from tables.column_types import ColumnSpec, TableShape
from tables.column_types.row_digest import RowDigest, folded_cells
from tables.models import Column, Row, Table
from tables.selectors import RowView


@contextmanager
def ephemeral_table(*, user: Any, shape: TableShape, rows: Sequence[RowView]) -> Iterator[None]:
    """Create a table owned by this user for the block, with the ids in `shape` and `rows`.

    All writes in the block are rolled back. Other transactions that create the same table wait.
    """
    with transaction.atomic():
        _create(user=user, shape=shape, rows=rows)
        try:
            yield
        finally:
            transaction.set_rollback(True)


def _create(*, user: Any, shape: TableShape, rows: Sequence[RowView]) -> None:
    table = Table.objects.create(
        id=shape.id,
        owner=user,
        name=shape.name,
        description=shape.description,
        version=shape.version,
        next_position=len(rows),
    )
    columns = enumerate(shape.columns)
    Column.objects.bulk_create([_column(column, table=table, position=position) for position, column in columns])
    digest = RowDigest(shape.columns)
    Row.objects.bulk_create([_row(row, table=table, digest=digest, user=user) for row in rows])


def _column(column: ColumnSpec, *, table: Table, position: int) -> Column:
    return Column(
        id=column.id,
        table=table,
        name=column.name,
        type=column.type,
        required=column.required,
        default=column.default,
        options=list(column.options),
        option_colors=dict(column.option_colors),
        filter_display=column.filter_display,
        settings=dict(column.settings),
        position=position,
    )


def _row(row: RowView, *, table: Table, digest: RowDigest, user: Any) -> Row:
    text, search_text = digest.of(row.data)
    return Row(
        id=row.id,
        table=table,
        position=row.position,
        data=row.data,
        version=row.version,
        search_text=search_text,
        folded_cells=folded_cells(text),
        created_by=user,
        updated_by=user,
    )
