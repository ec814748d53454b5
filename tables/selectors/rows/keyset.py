"""Continuation of a sorted list after a row, at the same cost however far down it is."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from shared.user_messages import declare
from tables.column_types import ColumnSpec, TableShape
from tables.exceptions import Malformed
from tables.models import Row, Table
from tables.operations.queries.sorts import KeysetPosition, SortKey
from tables.selectors.sql.conditions import sort_cells, sort_operands
from tables.selectors.sql.dialects import Dialect
from tables.selectors.sql.expressions import Sql, row_column

CURSOR_ROW_DELETED = declare(
    "cursor_row_deleted", "The row at this cursor was deleted permanently. Start again without a cursor."
)


@dataclass(frozen=True)
class _Key:
    """One expression of the order, and its value at the position; None where the value is empty."""

    cell: Sql
    value: Sql | None
    descending: bool


def regions_after(
    position: KeysetPosition, *, sort: Sequence[SortKey], table: Table, shape: TableShape, read: Dialect
) -> list[Sql]:
    """Return disjoint conditions for the rows after the position, in the order of the rows.

    There are at most two, each a range of the first key that an index can be read along: the values after that of the
    position, then the empty cells, which sort last in both directions. Raises Malformed.
    """
    position = _completed(position, sort=sort, table=table)
    keys = _keys(position, sort=sort, shape=shape, read=read)
    if not keys or keys[0].value is None:
        return [_after(keys, position=position)]
    first = keys[0]
    reached = Sql(
        f"{first.cell.text} {'<=' if first.descending else '>='} {keys[0].value.text}",
        first.cell.params + keys[0].value.params,
    )
    strictly = _after(keys, position=position, include_empty=False)
    filled = Sql(f"{reached.text} AND ({strictly.text})", reached.params + strictly.params)
    return [filled, Sql(f"({first.cell.text}) IS NULL", first.cell.params)]


def _completed(position: KeysetPosition, *, sort: Sequence[SortKey], table: Table) -> KeysetPosition:
    """Return the position with the current values of the long texts of its row, which may be deleted."""
    if not position.left_out:
        return position
    data = Row.objects.filter(table_id=table.pk, pk=position.row_id).values_list("data", flat=True).first()
    if data is None:
        raise Malformed.at("cursor", CURSOR_ROW_DELETED(), code="outdated_cursor")
    cells = list(position.cells)
    for index in position.left_out:
        cells[index] = data.get(sort[index].column_id)
    return replace(position, cells=tuple(cells), left_out=())


def _keys(
    position: KeysetPosition, *, sort: Sequence[SortKey], shape: TableShape, read: Dialect
) -> list[_Key]:
    keys: list[_Key] = []
    for key, value in zip(sort, position.cells, strict=True):
        column = shape.column(key.column_id)
        if column is not None:
            cells = sort_cells(column, read=read)
            operands = _operands(value, column=column, count=len(cells), read=read)
            keys += [
                _Key(cell=cell, value=operand, descending=key.descending)
                for cell, operand in zip(cells, operands, strict=True)
            ]
    return keys


def _operands(value: Any, *, column: ColumnSpec, count: int, read: Dialect) -> Sequence[Sql | None]:
    found = None if value is None else sort_operands(value, column=column, read=read)
    return [None] * count if found is None else found


def _after(keys: Sequence[_Key], *, position: KeysetPosition, include_empty: bool = True) -> Sql:
    """Return the rows after the position; `include_empty`: also those whose first cell is empty."""
    if not keys:
        columns = f"({row_column('position').text}, {row_column('id').text})"
        return Sql(f"{columns} > (%s, %s)", (position.position, position.row_id))
    key, rest = keys[0], _after(keys[1:], position=position)
    cell, value = key.cell, key.value
    if value is None:
        return Sql(f"({cell.text}) IS NULL AND ({rest.text})", cell.params + rest.params)
    beyond = f"{cell.text} {'<' if key.descending else '>'} {value.text}"
    tied = f"({cell.text} = {value.text} AND ({rest.text}))"
    params = (*cell.params, *value.params, *cell.params, *value.params, *rest.params)
    if not include_empty:
        return Sql(f"{beyond} OR {tied}", params)
    return Sql(f"{beyond} OR {tied} OR ({cell.text}) IS NULL", params + cell.params)
