"""The sort menu: each sort column with its position and direction, and columns to add; all are URLs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tables.column_types import ColumnSpec, TableShape, get_column_type
from tables.operations.queries.sorts import MAX_KEYS, SortKey
from tables.views.grid.table_query import View


@dataclass(frozen=True)
class SortLine:
    """A column that rows are sorted by. `order` is its order in words; `move_up` is "" for the first one."""

    column: ColumnSpec
    number: int
    descending: bool
    order: str
    turned: str
    move_up: str
    without: str


@dataclass(frozen=True)
class SortOffer:
    """A column to add to the sort order."""

    column: ColumnSpec
    href: str


@dataclass(frozen=True)
class Sorting:
    """The whole menu; `unsorted` is the URL without a sort order."""

    lines: tuple[SortLine, ...]
    offers: tuple[SortOffer, ...]
    unsorted: str


def draw_sorting(view: View, *, shape: TableShape) -> Sorting:
    """Return the menu for the URL's view."""
    keys = list(view.keys)

    def url(changed: Sequence[SortKey]) -> str:
        return view.address(sort=",".join(key.as_json() for key in changed))

    lines = []
    for index, key in enumerate(keys):
        column = shape.column(key.column_id)
        if column is None:
            continue
        before, after = keys[:index], keys[index + 1 :]
        lines.append(
            SortLine(
                column=column,
                number=index + 1,
                descending=key.descending,
                order=_(get_column_type(column.type).sort_labels[key.descending]),
                turned=url([*before, SortKey(key.column_id, not key.descending), *after]),
                move_up=url([*before[:-1], key, *before[-1:], *after]) if before else "",
                without=url([*before, *after]),
            )
        )
    used = {key.column_id for key in keys}
    can_add = len(keys) < MAX_KEYS
    offers = [
        SortOffer(column, url([*keys, SortKey(column.id)]))
        for column in shape.columns
        if can_add and column.id not in used
    ]
    return Sorting(tuple(lines), tuple(offers), view.address(sort=""))
