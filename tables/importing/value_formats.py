"""Values of a file in the format of their column."""
from __future__ import annotations

from typing import Any

from tables.column_types import COLUMN_TYPES, ColumnSpec, get_column_type
from tables.column_types.written_forms import WrittenForm


def form_choices(type_name: str) -> tuple[WrittenForm, ...]:
    """Return the formats that users choose from; none if the type has only one."""
    forms = get_column_type(type_name).forms
    return forms if len(forms) > 1 else ()


def form_names(type_name: str) -> tuple[str, ...]:
    """Return the names of the formats of a type."""
    return tuple(form.name for form in get_column_type(type_name).forms)


def all_form_names() -> tuple[str, ...]:
    """Return the names of the formats of all types, each once."""
    return tuple(dict.fromkeys(form.name for kind in COLUMN_TYPES.values() for form in kind.forms))


def read_value(value: Any, *, column: ColumnSpec, form: str) -> Any:
    """Return the stored value of a filled cell in this format. Raises ValueFault."""
    kind = get_column_type(column.type)
    read = kind.form(form).read
    return kind.cast(read(value) if read else value, column).value
