"""Column types: the kinds of values a cell can have. Pure, without Django.

A type is one module with a subclass of `ColumnType` that declares everything about it: parse, cast, conversions, text,
filter operators, formats in files, detection, export, drawing. No other module may compare the name of a type: what it
needs to know is an attribute or a method of `ColumnType` with a default, or a capability such as `has_options`,
`has_lists`, `has_files`, `has_people`, `has_days`, `has_times` or `has_decimals`. `comparison` is how databases compare
and index its values; several types share one.

Modules in reading order: `spec` (columns, colours of options, the shape of a table), `people` (of a table), `settings`
(of the columns of one type), `display_locale` (signs of numbers), `comparisons`, `cell_drawing`, `column_type` (base
class and registry), `written_forms` (formats in files), `faults`, `names`, `limits`, `number_values`,
`number_formats`, `text_formats`, `moments`, `decimal_separators`, `options`, `option_lists`, `files`, `operators`, then
one module for each type (`text`, `number`, `boolean`, `date`, `select`, `multi_select`, `person`, `attachment`,
`missing_type`), `computed` (base classes of types whose values cannot be written) with `created_at`, `created_by`,
`updated_at`, `updated_by` and `autonumber`, and `row_digest`.

Other apps add a type with `register_column_type`.
"""
from __future__ import annotations

from tables.column_types import (
    attachment,
    autonumber,
    boolean,
    created_at,
    created_by,
    date,
    missing_type,
    multi_select,
    number,
    person,
    select,
    text,
    updated_at,
    updated_by,
)
from tables.column_types.column_type import (
    ALWAYS,
    COLUMN_TYPES,
    DEFAULT_TYPE,
    SCRIPTS,
    Cast,
    ColumnType,
    get_column_type,
    register_column_type,
    set_missing_type_factory,
)
from tables.column_types.faults import ValueFault
from tables.column_types.names import check_name, did_you_mean, name_key, nearest
from tables.column_types.row_digest import search_text
from tables.column_types.spec import ColumnSpec, TableShape
from tables.column_types.text import normalize_line_ends

for column_type in (
    text.TYPE, number.TYPE, date.TYPE, boolean.TYPE, select.TYPE, multi_select.TYPE,
    person.TYPE, attachment.TYPE,
    created_at.TYPE, created_by.TYPE, updated_at.TYPE, updated_by.TYPE, autonumber.TYPE,
):  # fmt: skip
    register_column_type(column_type)
set_missing_type_factory(missing_type.MissingType)

__all__ = [
    "COLUMN_TYPES", "DEFAULT_TYPE", "SCRIPTS", "Cast", "ColumnSpec", "ColumnType", "TableShape", "ValueFault",
    "check_name", "computed_type_names", "did_you_mean", "get_column_type", "name_key", "nearest",
    "normalize_line_ends", "operator_descriptions", "register_column_type", "search_text", "setting_descriptions",
    "type_descriptions", "type_names", "writable_types",
]  # fmt: skip


def type_names() -> tuple[str, ...]:
    """Return the names of all types, in the order in which users are offered them."""
    return tuple(COLUMN_TYPES)


def computed_type_names() -> tuple[str, ...]:
    """Return the names of the types whose values are computed and cannot be written."""
    return tuple(name for name, column_type in COLUMN_TYPES.items() if column_type.is_computed)


def writable_types() -> dict[str, ColumnType]:
    """Return the types that columns of a file can have, by name."""
    return {name: column_type for name, column_type in COLUMN_TYPES.items() if column_type.is_writable}


def type_descriptions() -> str:
    """Return the names of all types with the form of their values, as text for the model."""
    return ", ".join(f"{name} ({column_type.described})" for name, column_type in COLUMN_TYPES.items())


def operator_descriptions() -> str:
    """Return the filter operators of each type, as text for the model."""
    names: dict[str, list[str]] = {}
    for name, kind in COLUMN_TYPES.items():
        names.setdefault(", ".join(op for op in kind.operators if op not in ALWAYS), []).append(name)
    listed = [f"{', '.join(types)}: {operators}" for operators, types in names.items() if operators]
    return "; ".join([*listed, f"all: {', '.join(ALWAYS)}"])


def setting_descriptions() -> str:
    """Return the settings of each type that has any, as a list for the model."""
    lines = []
    for name, column_type in COLUMN_TYPES.items():
        if column_type.settings:
            lines.append(f"- Settings of {name}: " + "; ".join(each.description for each in column_type.settings) + ".")
    return "\n".join(lines)
