"""The menu of the order: each column with its place and direction, and those one can sort by, too; all addresses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tables.column_types import ColumnSpec, TableShape
from tables.operations.sorts import MAX_KEYS, SortKey
from tables.views.table_query import View


@dataclass(frozen=True)
class SortLine:
    """A column that rows are sorted by. `sooner` is "" for the first one."""

    column: ColumnSpec
    number: int
    descending: bool
    turned: str
    sooner: str
    without: str


@dataclass(frozen=True)
class SortOffer:
    """A column one could sort by as well."""

    column: ColumnSpec
    href: str


@dataclass(frozen=True)
class Sorting:
    """The whole menu; `unsorted` is the address without any order."""

    lines: tuple[SortLine, ...]
    offers: tuple[SortOffer, ...]
    unsorted: str


def draw_sorting(view: View, *, shape: TableShape) -> Sorting:
    """The menu for what the address asks for."""
    keys = list(view.keys)

    def leading_to(changed: Sequence[SortKey]) -> str:
        return view.address(sort=",".join(key.as_json() for key in changed))

    lines = []
    for place, key in enumerate(keys):
        column = shape.column(key.column_id)
        if column is None:
            continue
        before, after = keys[:place], keys[place + 1 :]
        lines.append(
            SortLine(
                column=column,
                number=place + 1,
                descending=key.descending,
                turned=leading_to([*before, SortKey(key.column_id, not key.descending), *after]),
                sooner=leading_to([*before[:-1], key, *before[-1:], *after]) if before else "",
                without=leading_to([*before, *after]),
            )
        )
    used = {key.column_id for key in keys}
    room = len(keys) < MAX_KEYS
    offers = [
        SortOffer(column, leading_to([*keys, SortKey(column.id)]))
        for column in shape.columns
        if room and column.id not in used
    ]
    return Sorting(tuple(lines), tuple(offers), view.address(sort=""))
