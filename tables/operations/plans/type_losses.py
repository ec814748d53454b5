"""How many values of columns would be lost in each other type, for pages on which a type is chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tables.column_types import ColumnSpec, ValueFault, get_column_type, writable_types
from tables.column_types.options import options_from

Json = dict[str, Any]


def losses_by_type(columns: Sequence[ColumnSpec], *, rows: Sequence[Mapping[str, Any]]) -> Json:
    """Return `{column id: {"filled": n, "lost": {type: n}}}`; None for a type that cannot use the values as options.

    Types of computed columns, which lose all values, are left out. `rows` map column ids to stored values. Equal values
    are converted once.
    """
    return {column.id: _of_column(column, rows=rows) for column in columns}


def _of_column(column: ColumnSpec, *, rows: Sequence[Mapping[str, Any]]) -> Json:
    # Lists cannot be counted.
    keys = (_key(value) for row in rows if (value := row.get(column.id)) is not None)
    counts = Counter(keys)
    lost = {name: _lost(counts, source=column, name=name) for name in writable_types() if name != column.type}
    return {"filled": counts.total(), "lost": lost}


def _lost(counts: Counter[Any], *, source: ColumnSpec, name: str) -> int | None:
    kind = get_column_type(name)
    target = replace(source, type=name, default=None, options=())
    if kind.has_options and counts:
        names = (each for key in counts for each in kind.option_names(_value(key), source=source))
        try:
            target = kind.check_definition(replace(target, options=options_from(names)))
        except ValueFault:
            return None
    return sum(n for key, n in counts.items() if not _is_convertible(_value(key), source=source, target=target))


def _key(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _value(key: Any) -> Any:
    return list(key) if isinstance(key, tuple) else key


def _is_convertible(value: Any, *, source: ColumnSpec, target: ColumnSpec) -> bool:
    try:
        get_column_type(target.type).convert(value, source=source, target=target)
    except ValueFault:
        return False
    return True
