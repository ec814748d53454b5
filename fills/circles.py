"""Circles of columns that fills make from each other."""
from __future__ import annotations

from collections.abc import Collection, Mapping


def find_circle(inputs: Mapping[str, Collection[str]]) -> list[str]:
    """Return a circle of columns: `["a", "b", "a"]` if b is made from a and a from b; empty if there is none.

    `inputs` are the columns from which a column is made, by its id.
    """
    done: set[str] = set()
    for start in inputs:
        path: list[str] = []
        # Columns still to be left or entered, the next one last.
        ahead: list[tuple[str, bool]] = [(start, False)]
        while ahead:
            column, is_left = ahead.pop()
            if is_left:
                path.pop()
                done.add(column)
            elif column in path:
                return [column, *reversed(path[path.index(column) + 1 :]), column]
            elif column not in done:
                path.append(column)
                ahead.append((column, True))
                ahead += [(each, False) for each in sorted(inputs.get(column, ()))]
    return []
