"""JSON Schemas of the values that a column accepts, for models that write cells."""
from __future__ import annotations

from typing import Any

from tables.column_types import ColumnSpec, get_column_type

Json = dict[str, Any]
# By the form in which databases compare the values.
FORMS: dict[str, Json] = {
    "folded": {"type": "string"},
    "exact": {"type": "string"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
}


def accepts_values(column: ColumnSpec) -> bool:
    """Return whether a model can write values of this column."""
    kind = get_column_type(column.type)
    return kind.is_writable and (kind.has_options or kind.comparison in FORMS)


def value_schema(column: ColumnSpec) -> Json:
    """Return the schema of a value of the column or null, with its name and the form of its values as description."""
    kind = get_column_type(column.type)
    form = {"type": "string", "enum": list(column.options)} if kind.has_options else FORMS[kind.comparison]
    if kind.has_lists:
        form = {"type": "array", "items": form}
    settings = "".join(f"; {name}: {value}" for name, value in column.used_settings.items() if value not in ("", None))
    described = f"{column.name}: {kind.described}{settings}, or null if it cannot be found"
    return {"anyOf": [form, {"type": "null"}], "description": described}
