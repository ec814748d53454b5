"""Messages about rows that have changed since.

Pages name a row by its first value, because users see no row ids; API clients and the model get its id too.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shared.user_messages import Message, Param, declare
from tables.column_types import ColumnSpec, get_column_type
from tables.operations.cells import StoredRow

# Longer values are cut.
MAX_QUOTED_LENGTH = 80
ROW_CHANGED = declare(
    "row_changed_since",
    "Row {id} (“{row}”) was changed since.",
    for_pages=declare("row_changed", "“{row}” was changed since."),
)
UNNAMED_ROW_CHANGED = declare(
    "unnamed_row_changed_since",
    "Row {id} was changed since.",
    for_pages=declare("unnamed_row_changed", "An empty row was changed since."),
)
ROW_DELETED = declare(
    "row_deleted_since",
    "Row {id} (“{row}”) was deleted since.",
    for_pages=declare("row_deleted", "“{row}” was deleted since."),
)
UNNAMED_ROW_DELETED = declare(
    "unnamed_row_deleted_since",
    "Row {id} was deleted since.",
    for_pages=declare("unnamed_row_deleted", "An empty row was deleted since."),
)
ROW_MOVED = declare(
    "row_moved_since",
    "Row {id} (“{row}”) was moved since.",
    for_pages=declare("row_moved", "“{row}” was moved since."),
)
UNNAMED_ROW_MOVED = declare(
    "unnamed_row_moved_since",
    "Row {id} was moved since.",
    for_pages=declare("unnamed_row_moved", "An empty row was moved since."),
)
COLUMN_OF_ROW_REMOVED = declare(
    "column_of_row_removed_since",
    "A column in which row {id} (“{row}”) had a value was removed since.",
    for_pages=declare("column_of_row_removed", "A column in which “{row}” had a value was removed since."),
)
COLUMN_OF_UNNAMED_ROW_REMOVED = declare(
    "column_of_unnamed_row_removed_since",
    "A column in which row {id} had a value was removed since.",
    for_pages=declare(
        "column_of_unnamed_row_removed", "A column in which an empty row had a value was removed since."
    ),
)
CELL_CHANGED = declare(
    "cell_changed_since",
    "{column} of row {id} (“{row}”) was changed since.",
    for_pages=declare("cell_changed", "{column} of “{row}” was changed since."),
)
CELL_OF_UNNAMED_ROW_CHANGED = declare(
    "cell_of_unnamed_row_changed_since",
    "{column} of row {id} was changed since.",
    for_pages=declare("cell_of_unnamed_row_changed", "{column} of an empty row was changed since."),
)
CELL_REQUIRED = declare(
    "cell_required_since",
    "{column} of row {id} (“{row}”) would be empty, but is required now.",
    for_pages=declare("cell_required", "{column} of “{row}” would be empty, but is required now."),
)
CELL_OF_UNNAMED_ROW_REQUIRED = declare(
    "cell_of_unnamed_row_required_since",
    "{column} of row {id} would be empty, but is required now.",
    for_pages=declare("cell_of_unnamed_row_required", "{column} of an empty row would be empty, but is required now."),
)
# Templates by code: for a row with a value, and for one without.
TEMPLATES = {
    "row_changed": (ROW_CHANGED, UNNAMED_ROW_CHANGED),
    "row_deleted": (ROW_DELETED, UNNAMED_ROW_DELETED),
    "column_removed": (COLUMN_OF_ROW_REMOVED, COLUMN_OF_UNNAMED_ROW_REMOVED),
    "row_moved": (ROW_MOVED, UNNAMED_ROW_MOVED),
    "cell_changed": (CELL_CHANGED, CELL_OF_UNNAMED_ROW_CHANGED),
    "required": (CELL_REQUIRED, CELL_OF_UNNAMED_ROW_REQUIRED),
}


def first_value(data: Mapping[str, Any], columns: Iterable[ColumnSpec]) -> str:
    """Return the first value of a row, cut if it is long; `columns` are in their order."""
    values = ((column, data.get(column.id)) for column in columns)
    shown = (get_column_type(column.type).display(value, column) for column, value in values if value is not None)
    text = next(shown, "")
    return f"{text[: MAX_QUOTED_LENGTH - 1]}…" if len(text) > MAX_QUOTED_LENGTH else text


def row_message(code: str, row: StoredRow, *, columns: Iterable[ColumnSpec], column: str = "") -> Message:
    """Return the message about a row, or about its cell in `column`."""
    name = first_value(row.data, columns)
    named, unnamed = TEMPLATES.get(code, TEMPLATES["cell_changed"])
    template = named if name else unnamed
    params: dict[str, Param] = {"id": row.id, "row": name, "column": column}
    return template(**{key: value for key, value in params.items() if key in template.names})
