"""Options that row operations bring along: texts in select columns that are not an option yet."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tables.column_types import ColumnSpec, TableShape, ValueFault, check_name, get_column_type
from tables.exceptions import Fault, Invalid
from tables.operations.data_plan import CELLS

Json = dict[str, Any]


def with_new_options(shape: TableShape, operations: Any) -> TableShape:
    """Return the table with an option for each text of these unread operations that is none yet.

    Anything else that is wrong with the operations is left for their reader. Raises Invalid, with the path of the
    cell, for a text that cannot be an option and for more options than a column may have.
    """
    columns = {column.id: column for column in shape.columns}
    for index, operation in enumerate(operations if isinstance(operations, list) else ()):
        part = CELLS.get(str(operation.get("action"))) if isinstance(operation, dict) else None
        cells = operation.get(part) if part else None
        for ref, value in cells.items() if isinstance(cells, Mapping) else ():
            known = shape.column(ref)
            if known is not None and isinstance(value, str) and value:
                try:
                    columns[known.id] = _with_option(columns[known.id], value)
                except ValueFault as fault:
                    message = fault.in_column(known.name)
                    path = f"operations[{index}].{part}.{ref}"
                    faults = (Fault(path=path, code=fault.code, message=message, value=value[:200]),)
                    raise Invalid(message, faults=faults) from None
    return replace(shape, columns=tuple(columns.values()))


def added_options(before: TableShape, after: TableShape) -> dict[str, list[str]]:
    """The options that `after` has more, by the name of their column."""
    # New columns come after those of before.
    pairs = zip(before.columns, after.columns, strict=False)
    added = {now.name: [each for each in now.options if each not in was.options] for was, now in pairs if was != now}
    return {name: options for name, options in added.items() if options}


def _with_option(column: ColumnSpec, value: str) -> ColumnSpec:
    kind = get_column_type(column.type)
    if not kind.has_options:
        return column
    try:
        kind.cast(value, column)
    except ValueFault:
        options = (*column.options, check_name(value, is_option=True))
        return kind.check_definition(replace(column, options=options))
    return column
