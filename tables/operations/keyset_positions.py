"""Position in a sorted list of rows, from which a reader continues (keyset pagination)."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tables.operations.sorts import SortKey

# Positions are part of URLs, so a longer text is left out and read again from the row.
MAX_TEXT_LENGTH = 100


@dataclass(frozen=True)
class KeysetPosition:
    """The sort values (None for empty cells), the position and the id of one row.

    Rows added, moved or deleted before it do not affect the rows after it. `left_out` are the indexes of cells that are
    too long to be included: their current values are used.
    """

    cells: tuple[Any, ...]
    position: int
    row_id: int
    left_out: tuple[int, ...] = ()

    def as_json(self) -> list[Any]:
        """Return the JSON form that `read_keyset_position` reads."""
        return [list(self.cells), self.position, self.row_id, list(self.left_out)]


def keyset_position(*, row_id: int, position: int, data: Mapping[str, Any], sort: Sequence[SortKey]) -> KeysetPosition:
    """Return the position of a row with these cells (`data`, by column id)."""
    cells = [data.get(key.column_id) for key in sort]
    long = tuple(i for i, cell in enumerate(cells) if isinstance(cell, str) and len(cell) > MAX_TEXT_LENGTH)
    carried = tuple(None if i in long else cell for i, cell in enumerate(cells))
    return KeysetPosition(cells=carried, position=position, row_id=row_id, left_out=long)


def read_keyset_position(stored: Any) -> KeysetPosition:
    """Return the position that `as_json` wrote. The input must be trusted."""
    cells, position, row_id, left_out = stored
    return KeysetPosition(cells=tuple(cells), position=position, row_id=row_id, left_out=tuple(left_out))
