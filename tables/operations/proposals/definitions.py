"""Read the definition of a table or column: name, type, options and default."""
from __future__ import annotations

from collections.abc import Collection
from typing import Any

from shared.user_messages import declare
from tables.column_types import ValueFault, check_name, type_names
from tables.column_types.faults import shown
from tables.column_types.names import OPTION_NOT_TEXT
from tables.column_types.number_values import check_number
from tables.column_types.settings import setting_names
from tables.column_types.spec import FILTER_DISPLAYS, OPTION_COLORS
from tables.operations.body_reader import Form

Json = dict[str, Any]

MAX_PATH = 255
UNKNOWN_OPTION = declare("unknown_option", "“{option}” is not an option of this column.{hint}")
NOT_SINGLE_VALUE = declare("not_single_value", "A default must be a single value.")
NOT_COLORS = declare("not_colors", "This must be an object of options and colors.")
COLUMN_FIELDS = ("name", "type", "required", "default", "options", "optionColors", "filterDisplay")


def column_fields() -> tuple[str, ...]:
    """Return the names of all fields of definitions."""
    return (*COLUMN_FIELDS, *setting_names())


def read_table_name(raw: Any, *, path: str, form: Form) -> str | None:
    """Return a table's name; None if it is not given."""
    if raw is None:
        return None
    try:
        return check_name(raw)
    except ValueFault as fault:
        form.fault(path=path, code=fault.code, message=fault.message, value=raw)
        return None


def read_definition(raw: Any, *, path: str, form: Form) -> Json:
    """Return the fields of a column that are given, those that are settings of types in `settings`.

    Null means not given; an empty `default` clears the default.
    """
    fields = form.fields(raw, path=path, allowed=column_fields())
    read: Json = {}
    for key, value in fields.items():
        where = f"{path}.{key}"
        if value is None:
            continue
        if key == "name":
            name = read_table_name(value, path=where, form=form)
            read |= {} if name is None else {"name": name}
        elif key == "type":
            known = form.one_of(value, path=where, allowed=type_names())
            read |= {"type": known} if known else {}
        elif key == "required":
            read["required"] = form.flag(value, path=where)
        elif key == "filterDisplay":
            read["filterDisplay"] = form.one_of(value, path=where, allowed=FILTER_DISPLAYS)
        elif key == "options":
            options = _options(value, path=where, form=form)
            read |= {} if options is None else {"options": options}
        elif key == "optionColors":
            read["optionColors"] = _option_colors(value, path=where, form=form)
        elif key not in COLUMN_FIELDS:
            # The type checks them later.
            read.setdefault("settings", {})[key] = value
        elif isinstance(value, dict):
            form.fault(path=where, code="not_a_value", message=NOT_SINGLE_VALUE(), value=value)
        else:
            read["default"] = _default(value, path=where, form=form)
    return read


def refuse_unknown_options(read: Json, *, written: Any, options: Collection[str], path: str, form: Form) -> None:
    """Add a fault for each colour of an option that the column will not have.

    `read` are the fields of the column in the object `written`. Nothing is added if its options cannot be read.
    """
    colors, given = read.get("optionColors"), written.get("options") if isinstance(written, dict) else None
    if not colors or not (given is None or (isinstance(given, list) and all(isinstance(each, str) for each in given))):
        return
    for option in colors:
        if option not in options:
            message = UNKNOWN_OPTION(option=shown(option), hint=form.hint(option, names=options))
            form.fault(path=f"{path}.optionColors.{option[:MAX_PATH]}", code="unknown_option", message=message)


def _default(value: Any, *, path: str, form: Form) -> Any:
    """Return the default as written. The column's type checks it later, when the type is known."""
    if isinstance(value, int) and not isinstance(value, bool):
        # A database may return a large float as an integer, which could not be distinguished later.
        try:
            return check_number(value)
        except ValueFault as fault:
            form.fault(path=path, code=fault.code, message=fault.message)
    return value


def _options(raw: Any, *, path: str, form: Form) -> list[str] | None:
    """Return the options that are texts, None if there is no list of them."""
    options = form.items(raw, path=path)
    if not isinstance(raw, list):
        return None
    for index, option in enumerate(options):
        if not isinstance(option, str):
            form.fault(path=f"{path}[{index}]", code="not_text", message=OPTION_NOT_TEXT(), value=option)
    return [option for option in options if isinstance(option, str)]


def _option_colors(raw: Any, *, path: str, form: Form) -> dict[str, str]:
    if not isinstance(raw, dict):
        form.fault(path=path, code="not_an_object", message=NOT_COLORS(), value=raw)
        return {}
    colors = {}
    for option, color in raw.items():
        read = form.one_of(color, path=f"{path}.{option[:MAX_PATH]}", allowed=OPTION_COLORS)
        if read:
            colors[option] = read
    return colors
