"""Limit of 24 kB for the context of a page; the least important lists are shortened first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from shared import strictjson

MAX_BYTES = 24_000

Json = dict[str, Any]
# A function that returns shorter data, or None if it can shorten no further.
Reduction = Callable[[Json], Json | None]


def limit_size(data: Json, *, reductions: Sequence[Reduction]) -> Json:
    """Return the data, shortened by one reduction after the other until it is at most 24 kB.

    Each is applied as often as it can shorten the data. The argument is not modified.
    """
    for reduce in reductions:
        while size_of(data) > MAX_BYTES:
            shorter = reduce(data)
            if shorter is None:
                break
            data = shorter
    return data


def size_of(value: Any) -> int:
    """Return the size of a value as JSON, in bytes."""
    return len(strictjson.dumps(value).encode("utf-8", "replace"))


def halve(*path: str, minimum: int = 0, counted: bool = True) -> Reduction:
    """Return a reduction that halves the list or object at this path, but not below `minimum` items.

    If `counted`, the number of removed items is added next to it as `…_left_out`.
    """
    *parents, key = path

    def reduce(data: Json) -> Json | None:
        inner = data
        for name in parents:
            inner = inner.get(name) or {}
        shorter = _halved(inner, key=key, minimum=minimum, counted=counted)
        if shorter is None:
            return None
        for depth in range(len(parents) - 1, -1, -1):
            outer = data
            for name in parents[:depth]:
                outer = outer[name]
            shorter = {**outer, parents[depth]: shorter}
        return shorter

    return reduce


def halve_in_each(*path: str, key: str, minimum: int = 0) -> Reduction:
    """Return a reduction that halves the list `key` of every item in the list at this path."""
    *parents, name = path

    def reduce(data: Json) -> Json | None:
        inner = data
        for part in parents:
            inner = inner.get(part) or {}
        items = [_halved(item, key=key, minimum=minimum, counted=True) for item in inner.get(name) or []]
        if not any(items):
            return None
        merged = [new or old for new, old in zip(items, inner[name], strict=True)]
        shorter: Json = {**inner, name: merged}
        return {**data, parents[0]: shorter} if parents else shorter

    return reduce


def _halved(parent: Json, *, key: str, minimum: int, counted: bool) -> Json | None:
    """Return the object with half of its list or object `key`; None if that has at most `minimum` items."""
    value = parent.get(key)
    if not isinstance(value, list | dict) or len(value) <= minimum:
        return None
    length = max(minimum, len(value) // 2)
    shorter: Any = value[:length] if isinstance(value, list) else dict(list(value.items())[:length])
    left_out = parent.get(f"{key}_left_out", 0) + len(value) - length
    return {**parent, key: shorter, **({f"{key}_left_out": left_out} if counted else {})}
