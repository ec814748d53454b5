"""Values of cells as models are sent them and write them, with their JSON Schemas. People have names there, not ids."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tables.column_types import ColumnSpec, ValueFault, get_column_type
from tables.column_types.number_formats import FORMATS

Json = dict[str, Any]
# More people are not listed.
MAX_PEOPLE = 100
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
    return kind.is_writable and (kind.has_options or kind.has_people or kind.comparison in FORMS)


def value_schema(column: ColumnSpec) -> Json:
    """Return the schema of a value of the column or null, with its name and the form of its values as description."""
    kind = get_column_type(column.type)
    if kind.has_options:
        form: Json = {"type": "string", "enum": list(column.options)}
    elif kind.has_people:
        names = [person.name for person in column.people.members]
        form = {"type": "string", **({"enum": names} if len(names) <= MAX_PEOPLE else {})}
    else:
        form = FORMS[kind.comparison]
    if kind.has_lists:
        form = {"type": "array", "items": form}
    settings = "".join(f"; {name}: {value}" for name, value in column.used_settings.items() if value not in ("", None))
    number_format = FORMATS.get(column.used_settings.get("format", "")) if kind.comparison == "number" else None
    unit = f", {number_format.unit}" if number_format is not None and number_format.unit else ""
    described = f"{column.name}: {kind.described}{unit}{settings}, or null if it cannot be found"
    return {"anyOf": [form, {"type": "null"}], "description": described}


def sent_value(value: Any, *, column: ColumnSpec) -> Any:
    """Return a stored value of the column as a model is sent it."""
    return None if value is None else get_column_type(column.type).for_model(value, column)


def written_value(value: Any, *, column: ColumnSpec) -> Any:
    """Return the stored form of a person whom a model names, and other values unchanged."""
    kind = get_column_type(column.type)
    if not kind.has_people or not isinstance(value, str):
        return value
    try:
        return kind.cast(value, column).value
    except ValueFault:
        return value


def typed_value(definition: Mapping[str, Any], text: str, *, is_new: bool) -> Any:
    """Return the stored form of a text that a user types for a column with this definition, as the grid reads it.

    `is_new`: the format restricts it as it restricts new values. Raises ValueError with the reason in English.
    """
    column = ColumnSpec.from_json({"id": "", **definition})
    kind = get_column_type(column.type)
    read = kind.cast if is_new else kind.cast_known
    try:
        return read(kind.typed(text, column), column).value
    except ValueFault as fault:
        raise ValueError(fault.detail) from fault
