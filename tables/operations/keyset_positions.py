"""A place in a sorted list of rows: what a reader must remember to go on behind the last row seen."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tables.operations.sorts import SortKey

# A longer text is not carried along, but read again from the row: places travel in addresses.
LONGEST_TEXT = 100


@dataclass(frozen=True)
class Place:
    """The cells the rows are sorted by (None for empty ones), the position and the id of one row.

    Rows written, moved or deleted before it change nothing about what comes after it. `left_out` are the indexes of
    cells that are too long to be carried: their values are those the row has now.
    """

    cells: tuple[Any, ...]
    position: int
    row_id: int
    left_out: tuple[int, ...] = ()

    def as_json(self) -> list[Any]:
        """What `place_from` reads back."""
        return [list(self.cells), self.position, self.row_id, list(self.left_out)]


def place_of(*, row_id: int, position: int, data: Mapping[str, Any], sort: Sequence[SortKey]) -> Place:
    """The place of a row whose cells, by column id, are `data`."""
    cells = [data.get(key.column_id) for key in sort]
    long = tuple(i for i, cell in enumerate(cells) if isinstance(cell, str) and len(cell) > LONGEST_TEXT)
    kept = tuple(None if i in long else cell for i, cell in enumerate(cells))
    return Place(cells=kept, position=position, row_id=row_id, left_out=long)


def place_from(stored: Any) -> Place:
    """The place that `as_json` wrote; only for what is known to come from there."""
    cells, position, row_id, left_out = stored
    return Place(cells=tuple(cells), position=position, row_id=row_id, left_out=tuple(left_out))
