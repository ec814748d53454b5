"""The order of lists of options on PostgreSQL: by the first option, then the second, and so on.

The expressions have no subquery: with one, PostgreSQL would not use parallel workers, and no index could have them.
"""
from __future__ import annotations

from collections.abc import Sequence

from tables.selectors.sql.expressions import Sql

# Options at the beginning of a list, whose indexes are the first key of the order. An index entry must be short.
HEAD = 3
# For longer lists, a subquery takes less time than an expression for each option.
MAX_EXPRESSIONS = 50
NONE = "'{}'::int[]"


def option_indexes(cell: Sql, options: Sequence[str]) -> list[Sql]:
    """Return the indexes of a list's first options, which can be indexed, and those of the others.

    `cell` is the list as jsonb. The first key is NULL without options. Lists are stored in the order of the options.
    """
    listed = list(options)
    first = _indexes(cell, listed, positions=range(HEAD))
    is_list = f"jsonb_typeof({cell.text}) = 'array'"
    head = Sql(f"CASE WHEN {is_list} THEN nullif({first.text}, {NONE}) END", cell.params + first.params)
    if len(listed) <= HEAD:
        return [head]
    others = (
        _indexes(cell, listed, positions=range(HEAD, len(listed)))
        if len(listed) <= MAX_EXPRESSIONS
        else _indexes_of_elements(cell, listed)
    )
    # A scalar has no such element.
    text = f"CASE WHEN {cell.text} ->> {HEAD} IS NOT NULL THEN {others.text} ELSE {NONE} END"
    return [head, Sql(text, cell.params + others.params)]


def indexes_of_options(values: Sequence[str], options: Sequence[str]) -> list[Sql]:
    """Return the indexes of some of the options in the form of `option_indexes`."""
    indexes = sorted(options.index(value) + 1 for value in values)
    parts = [indexes[:HEAD], indexes[HEAD:]] if len(options) > HEAD else [indexes]
    return [Sql("%s::int[]", (part,)) for part in parts]


def _indexes(cell: Sql, options: list[str], *, positions: range) -> Sql:
    """Return the indexes of the elements at these positions, without NULL."""
    each = [Sql(f"array_position(%s::text[], {cell.text} ->> {at})", (options, *cell.params)) for at in positions]
    listed = Sql.joined(each, between=", ")
    return Sql(f"array_remove(ARRAY[{listed.text}], NULL)", listed.params)


def _indexes_of_elements(cell: Sql, options: list[str]) -> Sql:
    elements = f"jsonb_array_elements_text({cell.text}) WITH ORDINALITY AS e(value, number)"
    index = "array_position(%s::text[], e.value)"
    text = f"(SELECT coalesce(array_agg({index}), {NONE}) FROM {elements} WHERE e.number > {HEAD})"
    return Sql(text, (options, *cell.params))
