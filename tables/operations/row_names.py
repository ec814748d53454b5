"""What people are told of a row that has changed since: it is called by its first value, for its id stands nowhere on a
page."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tables.column_types import ColumnSpec, get_column_type

# As much of a value as a sentence can hold.
MOST_QUOTED = 80
# By what has happened: of a row with a value, and of one without any.
SENTENCES = {
    "row_changed": ("“{name}” has been changed since.", "A row without values has been changed since."),
    "row_deleted": ("“{name}” has been deleted since.", "A row without values has been deleted since."),
    "column_removed": (
        "A column in which “{name}” had a value has been removed since.",
        "A column in which a row without values had a value has been removed since.",
    ),
    "row_moved": ("“{name}” has been moved since.", "A row without values has been moved since."),
    "cell_changed": (
        "{column} of “{name}” has been changed since.",
        "{column} of a row without values has been changed since.",
    ),
}


def first_value(data: Mapping[str, Any], columns: Iterable[ColumnSpec]) -> str:
    """The first value of a row, cut where it is long; the columns are in their order."""
    values = ((column, data.get(column.id)) for column in columns)
    text = next((get_column_type(column.type).display(value) for column, value in values if value is not None), "")
    return f"{text[: MOST_QUOTED - 1]}…" if len(text) > MOST_QUOTED else text


def told_of_row(code: str, data: Mapping[str, Any], *, columns: Iterable[ColumnSpec], column: str = "") -> str:
    """What has happened to a row that holds this, or to its cell of that column."""
    name = first_value(data, columns)
    named, nameless = SENTENCES.get(code, SENTENCES["cell_changed"])
    return (named if name else nameless).format(name=name, column=column)
