"""The effect of a change as pairs of before and after, from which it can be undone and redone."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tables.column_types.number import normal_number
from tables.column_types.text import normalize_line_ends

Json = dict[str, Any]
MAX_PART_CELLS = 5_000


@dataclass
class Delta:
    """The effect of one change. Every pair is (before, after).

    table: {"was": {…}, "now": {…}} with keys of name, description, deleted; None if unchanged.
    columns: [id, was, now]: None = does not exist; whole definitions for added and removed columns, else the changes.
    order: {"was": [ids], "now": [ids]} if columns were added, removed or moved.
    rows: [id, was, now]: None = does not exist; whole data for added and deleted rows, else changed cells, None empty.
    """

    table: Json | None = None
    columns: list[list[Any]] = field(default_factory=list)
    order: Json | None = None
    rows: list[list[Any]] = field(default_factory=list)

    def inverted(self) -> Delta:
        """Return the delta that undoes this one."""
        return Delta(
            table=_swapped(self.table),
            columns=[[key, now, was] for key, was, now in reversed(self.columns)],
            order=_swapped(self.order),
            rows=[[key, now, was] for key, was, now in self.rows],
        )

    def pieces(self) -> Iterator[Json]:
        """Yield the delta in JSON parts of at most 5,000 cells. Definitions come first, in a part of their own."""
        if self.table or self.columns or self.order:
            yield {"table": self.table, "columns": self.columns, "order": self.order}
        part: list[list[Any]] = []
        cells = 0
        for entry in self.rows:
            size = max(1, len(entry[1] or ()), len(entry[2] or ()))
            if part and cells + size > MAX_PART_CELLS:
                yield {"rows": part}
                part, cells = [], 0
            part.append(entry)
            cells += size
        if part:
            yield {"rows": part}


def joined(pieces: Iterable[Json]) -> Delta:
    """Return the delta with these parts."""
    delta = Delta()
    for piece in pieces:
        piece = restore_numbers(piece)
        delta.table = piece.get("table") or delta.table
        delta.order = piece.get("order") or delta.order
        delta.columns += piece.get("columns", [])
        delta.rows += piece.get("rows", [])
    return delta


def is_inverse(one: Delta, other: Delta) -> bool:
    """Return whether `other` undoes exactly what `one` did."""
    back = other.inverted()
    by_row = sorted(back.rows, key=lambda entry: entry[0]) == sorted(one.rows, key=lambda entry: entry[0])
    return by_row and (one.table, one.columns, one.order) == (back.table, back.columns, back.order)


def same(one: Any, other: Any) -> bool:
    """Return whether two cells, or two fields of a column, are equal. Unlike in Python, true is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def equivalent(one: Any, other: Any) -> bool:
    """Return whether two cells are equal, or texts that differ only in their line ends.

    Earlier releases stored Windows line ends, which are now normalised.
    """
    if isinstance(one, str) and isinstance(other, str):
        return normalize_line_ends(one) == normalize_line_ends(other)
    return same(one, other)


def restore_numbers(value: Any) -> Any:
    """Return JSON as it was before it was stored: PostgreSQL returns 1e23 as an integer of 24 digits."""
    # Most values are text.
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, dict):
        return {key: restore_numbers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [restore_numbers(each) for each in value]
    return normal_number(value)


def same_cells(one: Json, other: Json) -> bool:
    """Return whether two rows are equal in every cell."""
    return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())


def _swapped(pair: Json | None) -> Json | None:
    return None if pair is None else {"was": pair["now"], "now": pair["was"]}
