"""What a change did, as pairs of was and is: the same record takes it back and does it again."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tables.column_types.number import normal_number
from tables.column_types.text import plain_line_ends

Json = dict[str, Any]
MOST_CELLS = 5_000


@dataclass
class Delta:
    """One change's effect. In every pair the first is what was, the second what is.

    table: {"was": {…}, "now": {…}} with keys of name, description, deleted; None when untouched.
    columns: [id, was, now]: None = not there; whole definitions for added and removed columns, else what changed.
    order: {"was": [ids], "now": [ids]} when columns came, went or moved.
    rows: [id, was, now]: None = not there; whole data for added and deleted rows, else the changed cells, None empty.
    """

    table: Json | None = None
    columns: list[list[Any]] = field(default_factory=list)
    order: Json | None = None
    rows: list[list[Any]] = field(default_factory=list)

    def inverted(self) -> Delta:
        """The delta of taking this one back."""
        return Delta(
            table=_swapped(self.table),
            columns=[[key, now, was] for key, was, now in reversed(self.columns)],
            order=_swapped(self.order),
            rows=[[key, now, was] for key, was, now in self.rows],
        )

    def pieces(self) -> Iterator[Json]:
        """The delta in JSON parts of at most 5,000 cells; definitions come first, in a part of their own."""
        if self.table or self.columns or self.order:
            yield {"table": self.table, "columns": self.columns, "order": self.order}
        part: list[list[Any]] = []
        cells = 0
        for entry in self.rows:
            size = max(1, len(entry[1] or ()), len(entry[2] or ()))
            if part and cells + size > MOST_CELLS:
                yield {"rows": part}
                part, cells = [], 0
            part.append(entry)
            cells += size
        if part:
            yield {"rows": part}


def joined(pieces: Iterable[Json]) -> Delta:
    """The delta of which these are the parts."""
    delta = Delta()
    for piece in pieces:
        piece = read_back(piece)
        delta.table = piece.get("table") or delta.table
        delta.order = piece.get("order") or delta.order
        delta.columns += piece.get("columns", [])
        delta.rows += piece.get("rows", [])
    return delta


def is_inverse(one: Delta, other: Delta) -> bool:
    """Whether the one takes back exactly what the other did."""
    back = other.inverted()
    by_row = sorted(back.rows, key=lambda entry: entry[0]) == sorted(one.rows, key=lambda entry: entry[0])
    return by_row and (one.table, one.columns, one.order) == (back.table, back.columns, back.order)


def same(one: Any, other: Any) -> bool:
    """Whether two cells, or two fields of a column, hold the same: true is not 1 here."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def alike(one: Any, other: Any) -> bool:
    """Return whether two cells hold the same, or texts that differ in their line ends alone.

    Texts stored by earlier releases may hold line ends of Windows, which what is compared with them no longer has.
    """
    if isinstance(one, str) and isinstance(other, str):
        return plain_line_ends(one) == plain_line_ends(other)
    return same(one, other)


def read_back(value: Any) -> Any:
    """JSON as it was before a database kept it: PostgreSQL gives 1e23 back as a whole number of 24 digits."""
    # Most of what is kept is text: it is asked for first.
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, dict):
        return {key: read_back(each) for key, each in value.items()}
    if isinstance(value, list):
        return [read_back(each) for each in value]
    return normal_number(value)


def same_cells(one: Json, other: Json) -> bool:
    """Whether two rows hold the same in every cell."""
    return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())


def _swapped(pair: Json | None) -> Json | None:
    return None if pair is None else {"was": pair["now"], "now": pair["was"]}
