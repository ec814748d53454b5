"""Keeps what the model is shown of a page within 24 kB: what matters least is shortened first, and counted."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import strictjson

MAX_BYTES = 24_000

Json = dict[str, Any]
Cut = Callable[[Json], Json | None]


def within_bounds(data: Json, *, cuts: Sequence[Cut]) -> Json:
    """The data with one cut after the other made, each as often as it helps, until all of it is at most 24 kB.

    The data given is not changed.
    """
    for cut in cuts:
        while size_of(data) > MAX_BYTES:
            shorter = cut(data)
            if shorter is None:
                break
            data = shorter
    return data


def size_of(value: Any) -> int:
    """The bytes of a value's JSON."""
    return len(strictjson.dump(value).encode("utf-8", "replace"))


def fewer(*path: str, least: int = 0, counted: bool = True) -> Cut:
    """Halves the list or object at this path, but not below `least`; `…_left_out` beside it says how many are gone."""
    *above, key = path

    def cut(data: Json) -> Json | None:
        inner = data
        for name in above:
            inner = inner.get(name) or {}
        shorter = _halved(inner, key=key, least=least, counted=counted)
        if shorter is None:
            return None
        for place in range(len(above) - 1, -1, -1):
            outer = data
            for name in above[:place]:
                outer = outer[name]
            shorter = {**outer, above[place]: shorter}
        return shorter

    return cut


def fewer_in_each(*path: str, key: str, least: int = 0) -> Cut:
    """Halves the list `key` of every item in the list at this path."""
    *above, name = path

    def cut(data: Json) -> Json | None:
        inner = data
        for part in above:
            inner = inner.get(part) or {}
        items = [_halved(item, key=key, least=least, counted=True) for item in inner.get(name) or []]
        if not any(items):
            return None
        whole = [new or old for new, old in zip(items, inner[name], strict=True)]
        shorter: Json = {**inner, name: whole}
        return {**data, above[0]: shorter} if above else shorter

    return cut


def _halved(holder: Json, *, key: str, least: int, counted: bool) -> Json | None:
    """The holder with half of its list or object `key`; None when that is as short as it may be."""
    value = holder.get(key)
    if not isinstance(value, list | dict) or len(value) <= least:
        return None
    kept = max(least, len(value) // 2)
    shorter: Any = value[:kept] if isinstance(value, list) else dict(list(value.items())[:kept])
    gone = holder.get(f"{key}_left_out", 0) + len(value) - kept
    return {**holder, key: shorter, **({f"{key}_left_out": gone} if counted else {})}
