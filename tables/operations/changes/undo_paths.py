"""Paths of conflicts of an undo, by which clients decide about each: `rows[5161].data.Amount`, `columns.Amount`."""
from __future__ import annotations

import re
from typing import Any

NAME_PATTERN = ".{1,255}"
# Rows are named by id.
PATH_PATTERN = (
    rf"^(rows\[[0-9]{{1,19}}\]\.(data\.{NAME_PATTERN}|position)|columns\.{NAME_PATTERN}|table\.(name|description))$"
)
CELL = re.compile(rf"rows\[([0-9]+)\]\.data\.({NAME_PATTERN})", re.DOTALL)


def cell_path(row_id: int, column: str) -> str:
    """Return the path of a cell. `column` is a name or id."""
    return f"rows[{row_id}].data.{column}"


def column_path(column: str) -> str:
    """Return the path of a column, which is a name or id."""
    return f"columns.{column}"


def position_path(row_id: int) -> str:
    """Return the path of the position of a row."""
    return f"rows[{row_id}].position"


def table_path(key: str) -> str:
    """Return the path of the name or description of the table."""
    return f"table.{key}"


def is_path(value: Any) -> bool:
    """Return whether this can be the path of a conflict."""
    return isinstance(value, str) and re.fullmatch(PATH_PATTERN, value, re.DOTALL) is not None


def cell_of(path: str) -> tuple[int, str] | None:
    """Return the row and the column of the path of a cell, None for other paths."""
    found = CELL.fullmatch(path)
    return (int(found[1]), found[2]) if found else None
