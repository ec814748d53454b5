"""Count the values that columns would lose under each other type."""
from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tables.column_types import COLUMN_TYPES, ColumnSpec, ValueFault, get_column_type
from tables.column_types.select import options_from

Json = dict[str, Any]


def losses_by_type(columns: Sequence[ColumnSpec], *, rows: Sequence[Mapping[str, Any]]) -> Json:
    """Return `{column id: {"filled": n, "lost": {type: n}}}`; None for a type that cannot use the values as options.

    `rows` map column ids to stored values. Equal values are converted once.
    """
    return {column.id: _of_column(column, rows=rows) for column in columns}


def _of_column(column: ColumnSpec, *, rows: Sequence[Mapping[str, Any]]) -> Json:
    counts = Counter(value for row in rows if (value := row.get(column.id)) is not None)
    lost = {name: _lost(counts, source=column, name=name) for name in COLUMN_TYPES if name != column.type}
    return {"filled": counts.total(), "lost": lost}


def _lost(counts: Counter[Any], *, source: ColumnSpec, name: str) -> int | None:
    kind = get_column_type(name)
    target = replace(source, type=name, default=None, options=())
    if kind.has_options and counts:
        text = get_column_type(source.type).text
        try:
            target = kind.check_definition(replace(target, options=options_from(map(text, counts))))
        except ValueFault:
            return None
    return sum(n for value, n in counts.items() if not _is_convertible(value, source=source, target=target))


def _is_convertible(value: Any, *, source: ColumnSpec, target: ColumnSpec) -> bool:
    try:
        get_column_type(target.type).convert(value, source=source, target=target)
    except ValueFault:
        return False
    return True
