"""Columns of exports with the confidence and the sources of the values of other columns."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from tables.column_types import ColumnSpec
from tables.operations.cells import RowState
from tables.selectors import ListedRow, Table, columns_with_origins, origins_of

ROWS_PER_READ = 1_000


def with_origins(
    table: Table, *, columns: Sequence[ColumnSpec], rows: Iterable[ListedRow]
) -> tuple[list[ColumnSpec], Iterator[ListedRow]]:
    """Return the columns and rows with “… confidence” and “… sources” after the columns whose values have origins.

    Sources are addresses, one a line. A name that another column has gets a number.
    """
    described = columns_with_origins(table) & {column.id for column in columns}
    names = {column.name.casefold() for column in columns}
    result: list[ColumnSpec] = []
    for column in columns:
        result.append(column)
        result.extend(
            ColumnSpec(f"{column.id}_{kind}", _free_name(f"{column.name} {kind}", names), "text")
            for kind in (("confidence", "sources") if column.id in described else ())
        )
    return result, _added(table, columns=columns, described=described, rows=iter(rows))


def _free_name(name: str, names: set[str]) -> str:
    free, number = name, 1
    while free.casefold() in names:
        number += 1
        free = f"{name} {number}"
    names.add(free.casefold())
    return free


def _added(
    table: Table, *, columns: Sequence[ColumnSpec], described: set[str], rows: Iterator[ListedRow]
) -> Iterator[ListedRow]:
    ids = [column.id for column in columns]
    while part := list(islice(rows, ROWS_PER_READ)):
        states = [RowState(pk, 0, dict(zip(ids, values, strict=True))) for pk, values in part]
        found = origins_of(table, states)
        for pk, values in part:
            of_row = found.get(pk, {})
            cells: list[Any] = []
            for column_id, value in zip(ids, values, strict=True):
                cells.append(value)
                if column_id in described:
                    origin = of_row.get(column_id, {})
                    addresses = "\n".join(source["url"] for source in origin.get("sources", ()))
                    cells += [origin.get("confidence") or None, addresses or None]
            yield pk, cells
