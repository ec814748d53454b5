"""Goes on reading behind a place, at the same cost however far down the list it is."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from shared.user_messages import declare
from tables.column_types import ColumnSpec, TableShape
from tables.exceptions import Malformed
from tables.models import Row, Table
from tables.operations.keyset_positions import KeysetPosition
from tables.operations.sorts import SortKey
from tables.selectors.conditions import sort_cells, sort_operands
from tables.selectors.dialects import Sql, dialect, row_column

CURSOR_ROW_DELETED = declare(
    "cursor_row_deleted", "The row at this cursor was deleted permanently. Start again without a cursor."
)


@dataclass(frozen=True)
class _Key:
    """One expression of the order, and what it is at the place; None where the place has no value."""

    cell: Sql
    value: Sql | None
    descending: bool


def regions_after(place: KeysetPosition, *, sort: Sequence[SortKey], table: Table, shape: TableShape) -> list[Sql]:
    """Conditions for the rows behind the place: disjoint, the rows of each before those of the next.

    There are at most two, each a range of the first key that an index can be read along: the values behind the
    place's own, then the empty cells, which sort last in both directions. Raises Malformed.
    """
    place = _completed(place, sort=sort, table=table)
    keys = _keys(place, sort=sort, shape=shape)
    if not keys or keys[0].value is None:
        return [_behind(keys, place=place)]
    first = keys[0]
    reached = Sql(
        f"{first.cell.text} {'<=' if first.descending else '>='} {keys[0].value.text}",
        first.cell.params + keys[0].value.params,
    )
    strictly = _behind(keys, place=place, empties=False)
    filled = Sql(f"{reached.text} AND ({strictly.text})", reached.params + strictly.params)
    return [filled, Sql(f"({first.cell.text}) IS NULL", first.cell.params)]


def _completed(place: KeysetPosition, *, sort: Sequence[SortKey], table: Table) -> KeysetPosition:
    """The place with the long texts its row has now; deleted rows have them too."""
    if not place.left_out:
        return place
    data = Row.objects.filter(table_id=table.pk, pk=place.row_id).values_list("data", flat=True).first()
    if data is None:
        raise Malformed.at("cursor", CURSOR_ROW_DELETED(), code="outdated_cursor")
    cells = list(place.cells)
    for index in place.left_out:
        cells[index] = data.get(sort[index].column_id)
    return replace(place, cells=tuple(cells), left_out=())


def _keys(place: KeysetPosition, *, sort: Sequence[SortKey], shape: TableShape) -> list[_Key]:
    read = dialect()
    keys: list[_Key] = []
    for key, value in zip(sort, place.cells, strict=True):
        column = shape.column(key.column_id)
        if column is not None:
            cells = sort_cells(column, read=read)
            keys += [
                _Key(cell=cell, value=operand, descending=key.descending)
                for cell, operand in zip(cells, _operands(value, column=column, count=len(cells)), strict=True)
            ]
    return keys


def _operands(value: Any, *, column: ColumnSpec, count: int) -> Sequence[Sql | None]:
    found = None if value is None else sort_operands(value, column=column, read=dialect())
    return [None] * count if found is None else found


def _behind(keys: Sequence[_Key], *, place: KeysetPosition, empties: bool = True) -> Sql:
    """The rows behind the place; `empties` False leaves out those whose first cell is empty."""
    if not keys:
        position, pk = row_column("position"), row_column("id")
        return Sql(f"({position.text}, {pk.text}) > (%s, %s)", (place.position, place.row_id))
    key, rest = keys[0], _behind(keys[1:], place=place)
    cell, value = key.cell, key.value
    if value is None:
        return Sql(f"({cell.text}) IS NULL AND ({rest.text})", cell.params + rest.params)
    beyond = f"{cell.text} {'<' if key.descending else '>'} {value.text}"
    tied = f"({cell.text} = {value.text} AND ({rest.text}))"
    params = (*cell.params, *value.params, *cell.params, *value.params, *rest.params)
    if not empties:
        return Sql(f"{beyond} OR {tied}", params)
    return Sql(f"{beyond} OR {tied} OR ({cell.text}) IS NULL", params + cell.params)
