"""The kinds of values a cell can hold. A new one is one file, listed below or registered by its own app; no Django."""
from __future__ import annotations

from tables.column_types import boolean, date, missing_type, number, select, text
from tables.column_types.column_type import (
    COLUMN_TYPES,
    SCRIPTS,
    Cast,
    ColumnType,
    get_column_type,
    register_column_type,
    stand_in_with,
)
from tables.column_types.faults import ValueFault
from tables.column_types.names import check_name, did_you_mean, name_key, nearest
from tables.column_types.row_digest import cells_hash, search_text
from tables.column_types.spec import ColumnSpec, TableShape
from tables.column_types.text import plain_line_ends

for column_type in (text.TYPE, number.TYPE, date.TYPE, boolean.TYPE, select.TYPE):
    register_column_type(column_type)
stand_in_with(missing_type.Gone)

__all__ = [
    "COLUMN_TYPES", "SCRIPTS", "Cast", "ColumnSpec", "ColumnType", "TableShape", "ValueFault", "cells_hash",
    "check_name", "did_you_mean", "get_column_type", "name_key", "nearest", "plain_line_ends", "register_column_type",
    "search_text", "type_names", "types_told",
]  # fmt: skip


def type_names() -> tuple[str, ...]:
    """All names, in the order people are offered them."""
    return tuple(COLUMN_TYPES)


def types_told() -> str:
    """All names, each with the form of its values, as the model is told them."""
    return ", ".join(f"{name} ({column_type.described})" for name, column_type in COLUMN_TYPES.items())
