"""Compose the deltas of successive changes into one delta."""
from __future__ import annotations

from typing import Any

from tables.operations.delta import Delta, same

Json = dict[str, Any]


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
        # Whether `_was` holds all keys, not only the changed ones.
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
