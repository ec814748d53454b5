"""The effect of a change as pairs of before and after, and of successive changes as one."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tables.column_types import normalize_line_ends
from tables.column_types.number_values import normal_number

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
        """Yield the delta in JSON parts of at most 5,000 cells. Definitions are a separate part, the first one."""
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


def counts_of_delta(delta: Delta, *, moved: int = 0) -> Json:
    """Return the number of rows, else of columns, by action as in the counts of changes. `moved` rows are not in it.

    Cells that change with their columns are not counted.
    """
    counts: Counter[str] = Counter(
        "add" if was is None else "remove" if now is None else "modify" for _, was, now in delta.columns
    )
    if delta.order and not delta.columns:
        counts["reorder"] = 1
    rows = counts_of_rows(delta.rows)
    if counts:
        del rows["update"]
    return {**counts, **rows, **({"move": moved} if moved else {})}


def counts_of_rows(rows: Iterable[list[Any]]) -> Counter[str]:
    """Return the number of added, changed and deleted rows of a delta by action."""
    return Counter("add" if was is None else "delete" if now is None else "update" for _, was, now in rows)


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
    """Return whether `other` is the exact inverse of `one`."""
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


class Composition:
    """The combined effect of successive changes, added in chronological order.

    Values that were changed and restored are left out, so that the inverse of the result restores the state before.
    """

    def __init__(self) -> None:
        self._table: _Pair | None = None
        self._order: Json | None = None
        self._columns: dict[str, _Pair] = {}
        self._rows: dict[int, _Pair] = {}

    def add(self, delta: Delta) -> None:
        """Add the next change, or its next part."""
        if delta.table is not None:
            self._table = self._table or _Pair()
            self._table.follow(delta.table["was"], now=delta.table["now"])
        if delta.order is not None:
            self._order = {"was": (self._order or delta.order)["was"], "now": delta.order["now"]}
        for column_id, was, now in delta.columns:
            self._columns.setdefault(column_id, _Pair()).follow(was, now=now)
        for row_id, was, now in delta.rows:
            self._rows.setdefault(row_id, _Pair()).follow(was, now=now)

    def delta(self) -> Delta:
        """Return the delta of all changes together."""
        table = self._table.difference() if self._table else None
        columns = [[key, *pair] for key, each in self._columns.items() if (pair := each.difference())]
        rows = [[key, *map(_filled, pair)] if None in pair else [key, *pair]
                for key, each in self._rows.items() if (pair := each.difference())]  # fmt: skip
        order = self._order if self._order and self._order["was"] != self._order["now"] else None
        return Delta(
            table={"was": table[0], "now": table[1]} if table else None, columns=columns, order=order, rows=rows
        )


class _Pair:
    """A row, a column or the table before and after: None if it does not exist, else all or some of its keys."""

    def __init__(self) -> None:
        self._was: Json | None = {}
        self._now: Json | None = {}
        # Whether `_was` has all keys, not only the changed ones.
        self._whole = False

    def follow(self, was: Json | None, *, now: Json | None) -> None:
        """Add the next change of the same object."""
        if was is None:
            # It was added, by the first change or again after a deletion.
            self._was = self._was if self._whole else None
            self._now = now
            return
        if self._was is not None and not self._whole:
            self._was = {**was, **self._was}
            self._whole = now is None
        self._now = None if now is None else {**(self._now or {}), **now}

    def difference(self) -> tuple[Json | None, Json | None] | None:
        """Return the object before and after, or None if nothing changed.

        If it exists in both, only the keys that differ are returned.
        """
        was, now = self._was, self._now
        if was is None or now is None:
            return None if was is now else (was, now)
        keys = [key for key in {**was, **now} if not same(was.get(key), now.get(key))]
        return ({key: was.get(key) for key in keys}, {key: now.get(key) for key in keys}) if keys else None


def _filled(data: Json | None) -> Json | None:
    """Return a whole row without empty cells."""
    return data and {key: value for key, value in data.items() if value is not None}
