"""Columns and options that row operations add: text columns, and texts that become options of select columns."""
from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tables.column_types import DEFAULT_TYPE, ColumnSpec, TableShape, ValueFault, check_name, get_column_type
from tables.exceptions import Fault, Invalid, Malformed, TablesError
from tables.operations.body_reader import Form, short
from tables.operations.plans.data_plan import CELLS
from tables.operations.plans.planned import refuse_unresolved
from tables.operations.plans.schema_plan import plan_schema
from tables.operations.proposals.choice import Choice
from tables.operations.proposals.schema_proposal import read_schema_proposal

Json = dict[str, Any]
PATH = re.compile(r"^operations(\[\d+\]|).*")
NEW_COLUMN = re.compile(r"new_columns\[(\d+)\]")


def with_new_columns(shape: TableShape, names: Sequence[Any], *, new_id: Callable[[], str]) -> TableShape:
    """Return the table with new text columns of these names at the end.

    Raises Malformed or Invalid, with paths in `new_columns`, as a SCHEMA_PROPOSAL that adds them would.
    """
    operations = [{"action": "add", "column": {"name": name, "type": DEFAULT_TYPE}} for name in names]
    try:
        prepared = read_schema_proposal({"mode": "update", "operations": operations}, shape=shape, new_id=new_id)
        plan = plan_schema(shape=shape, prepared=prepared, choice=Choice())
        refuse_unresolved(plan.planned)
    except TablesError as error:
        error.faults = tuple(replace(fault, path=PATH.sub(r"new_columns\1", fault.path)) for fault in error.faults)
        raise
    return replace(shape, columns=plan.after)


def with_valid_new_columns(
    shape: TableShape, names: Sequence[Any], *, new_id: Callable[[], str], form: Form
) -> TableShape:
    """Return the table with new text columns of the valid names, and add the faults of the others to `form`."""
    valid = dict(enumerate(names))
    while valid:
        positions = list(valid)
        try:
            return with_new_columns(shape, list(valid.values()), new_id=new_id)
        except (Malformed, Invalid) as error:
            found = [(NEW_COLUMN.match(fault.path), fault) for fault in error.faults]
            refused = {positions[int(match[1])] for match, _ in found if match}
            form.add_error(type(error)(error.message, code=error.code, faults=[
                replace(fault, path=f"new_columns[{positions[int(match[1])]}]") if match else fault
                for match, fault in found
            ]))  # fmt: skip
            valid = {position: name for position, name in valid.items() if position not in refused} if refused else {}
    return shape


def with_new_options(shape: TableShape, operations: Any, *, form: Form) -> TableShape:
    """Return the table with each text in these unread operations as an option of its select column.

    Adds a fault with the path of the cell to `form` for a text that cannot be an option, and for more options than a
    column may have. Other faults are left to the reader of the operations.
    """
    columns = {column.id: column for column in shape.columns}
    for index, operation in enumerate(operations if isinstance(operations, list) else ()):
        part = CELLS.get(str(operation.get("action"))) if isinstance(operation, dict) else None
        cells = operation.get(part) if part else None
        for ref, value in cells.items() if isinstance(cells, Mapping) else ():
            known = shape.column(ref)
            if known is not None and isinstance(value, str | list) and value:
                try:
                    columns[known.id] = _with_options(columns[known.id], value)
                except ValueFault as fault:
                    message = fault.in_column(known.name)
                    path = f"operations[{index}].{part}.{ref}"
                    form.faults.append(Fault(path=path, code=fault.code, message=message, value=short(value)))
                    form.invalid_codes.add(fault.code)
    return replace(shape, columns=tuple(columns.values()))


def added_options(before: TableShape, after: TableShape) -> dict[str, list[str]]:
    """Return the options that only `after` has, by column name."""
    # New columns are at the end.
    pairs = zip(before.columns, after.columns, strict=False)
    added = {now.name: [each for each in now.options if each not in was.options] for was, now in pairs if was != now}
    return {name: options for name, options in added.items() if options}


def _with_options(column: ColumnSpec, value: str | list[Any]) -> ColumnSpec:
    kind = get_column_type(column.type)
    if not kind.has_options or (isinstance(value, list) and not kind.has_lists):
        return column
    try:
        kind.cast(value, column)
    except ValueFault:
        for name in kind.options_of(value):
            column = _with_option(column, name)
    return column


def _with_option(column: ColumnSpec, name: Any) -> ColumnSpec:
    kind = get_column_type(column.type)
    if not isinstance(name, str) or not name:
        return column
    try:
        kind.cast_choice(name, column)
    except ValueFault:
        options = (*column.options, check_name(name, is_option=True))
        return kind.check_definition(replace(column, options=options))
    return column
