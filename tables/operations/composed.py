"""Puts the deltas of successive changes together into the one of all of them."""
from __future__ import annotations

from typing import Any

from tables.operations.delta import Delta, same

Json = dict[str, Any]


class Composition:
    """What a row of changes did in all, taken in the order in which they were made.

    What they changed and put back leaves no trace. The rows are in the order in which they were first changed.
    """

    def __init__(self) -> None:
        self._table: Json | None = None
        self._order: Json | None = None
        self._columns: dict[str, list[Any]] = {}
        self._rows: dict[int, list[Any]] = {}

    def add(self, delta: Delta) -> None:
        """Add the next change, or its next part."""
        if delta.table is not None:
            first = self._table or {"was": {}, "now": {}}
            self._table = {
                "was": {**delta.table["was"], **first["was"]},
                "now": {**first["now"], **delta.table["now"]},
            }
        if delta.order is not None:
            self._order = {"was": (self._order or delta.order)["was"], "now": delta.order["now"]}
        for key, was, now in delta.columns:
            self._columns[key] = _composed(self._columns.get(key), was=was, now=now)
        for key, was, now in delta.rows:
            self._rows[key] = _composed(self._rows.get(key), was=was, now=now)

    def delta(self) -> Delta:
        """Return the delta of all changes together, without what is the same before and after them."""
        table = _difference(self._table["was"], now=self._table["now"]) if self._table else None
        order = self._order if self._order and self._order["was"] != self._order["now"] else None
        return Delta(
            table={"was": table[0], "now": table[1]} if table else None,
            columns=_pairs(self._columns),
            order=order,
            rows=_pairs(self._rows),
        )


def _composed(first: list[Any] | None, *, was: Json | None, now: Json | None) -> list[Any]:
    """One pair out of two. None is what does not exist; a pair of objects lists only the keys that differ."""
    if first is None:
        return [was, now]
    before, between = first
    # What exists after the first change is described as a whole by one of these; else both list some keys.
    if before is not None and was is not None:
        # Values from before the second change that the first one did not touch.
        before = {**was, **before}
    if between is not None and now is not None:
        now = {**between, **now}
    return [before, now]


def _pairs(composed: dict[Any, list[Any]]) -> list[list[Any]]:
    pairs = []
    for key, (was, now) in composed.items():
        if was is None or now is None:
            if was is not now:
                pairs.append([key, _filled(was), _filled(now)])
        elif different := _difference(was, now=now):
            pairs.append([key, *different])
    return pairs


def _difference(was: Json, *, now: Json) -> tuple[Json, Json] | None:
    """The keys in which two objects differ, with both values; None if there are none."""
    keys = [key for key in {**was, **now} if not same(was.get(key), now.get(key))]
    return ({key: was.get(key) for key in keys}, {key: now.get(key) for key in keys}) if keys else None


def _filled(whole: Json | None) -> Json | None:
    return whole
