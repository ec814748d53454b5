"""What a person decides about a file: which columns become what, and what happens with cells that cannot be read."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tables.column_types import TableShape, ValueFault, get_column_type, type_names
from tables.column_types.names import check_name
from tables.importing.naming import UNNAMED_TABLE, table_name
from tables.importing.value_formats import FORMS
from tables.operations.body_reader import INVALID_CODES, Form
from tables.operations.cells import resolve_column
from user_messages import declare

Json = dict[str, Any]
ON_REFUSED = ("ask", "empty", "skip", "stop")
EMPTY_CELLS = ("keep", "clear")
EMPTY_ROWS = ("skip", "keep")
WORDS = {"on_refused": ON_REFUSED, "empty_cells": EMPTY_CELLS, "empty_rows": EMPTY_ROWS}
FIELDS = ("table_name", "columns", "merge_on", *WORDS)
# The words are right, but not for this file and this table.
NOT_OF_THIS_FILE = {
    "no_table", "type_of_column", "no_options", "not_of_this_format", "not_of_this_type", "unknown_sheet",
}  # fmt: skip
EVERY_FORM = tuple(dict.fromkeys(form for forms in FORMS.values() for form in forms))
NOT_A_FILE_COLUMN = declare("not_a_file_column", "This must be the position of a column in the file, 0 to {last}.")
COLUMN_KEEPS_TYPE = declare(
    "column_keeps_type", "A column that is there keeps its type. Choose a new column to have another."
)
NOT_WRITTEN_LIKE_THIS = declare("not_written_like_this", "Values of type {type} are not written like this.")
NO_COLUMNS_YET = declare("no_columns_yet", "A new table has no columns yet to put this into.")
OPTIONS_OF_NEW_COLUMNS = declare("options_of_new_columns", "Only a new select column is given options here.")
NO_ROWS_YET = declare("no_rows_yet", "A new table has no rows yet that could be changed.")
COLUMN_FIELDS = ("index", "include", "name", "type", "form", "options", "into")


def first_choices(
    columns: Sequence[Json], *, shape: TableShape | None, file_name: str, unnamed: str = UNNAMED_TABLE
) -> Json:
    """What is decided as long as nobody has said anything; columns of the file go into those of the same name.

    `columns` are those of a sniffed file, `shape` is the table that gets the rows, None for a new one. `unnamed` is the
    name of a new table where the file has none.
    """
    chosen: list[Json] = []
    taken: set[str] = set()
    for column in columns:
        existing = shape.column(column["given"] or column["name"]) if shape else None
        if existing is not None and (existing.id in taken or not get_column_type(existing.type).registered):
            existing = None
        taken.add(existing.id if existing else "")
        type_name = existing.type if existing else column["type"]
        # A form that fits the file says nothing about a column of another type.
        fits = type_name == column["type"]
        chosen.append(
            {
                "index": column["index"],
                # Without name and values it is only the edge of a sheet.
                "include": bool(column["given"] or column["filled"]),
                "name": column["name"],
                "type": type_name,
                "form": column["form"] if fits else _form_of(type_name, found=column),
                "options": None,
                "into": existing.id if existing else None,
            }
        )
    return {
        "table_name": table_name(file_name, unnamed=unnamed),
        "columns": chosen,
        "merge_on": [],
        "on_refused": "ask",
        "empty_cells": "keep",
        "empty_rows": "skip",
    }


def _form_of(type_name: str, *, found: Json) -> str:
    """The form of values of a column that were not guessed to be of this type: numbers have the file's separator."""
    # A file that was read by an earlier release has none.
    return str(found.get("number_form", "")) if type_name == "number" else ""


def read_choices(raw: Json, *, kept: Json, found: Sequence[Json], shape: TableShape | None) -> Json:
    """`kept` with what `raw` says otherwise: any of FIELDS, of columns those that are named by their index.

    `found` are the columns of the sniffed file. Raises Malformed and Invalid with all paths.
    """
    form = Form(invalid_codes=INVALID_CODES | NOT_OF_THIS_FILE)
    fields = form.fields(raw, path="", allowed=FIELDS)
    chosen = {**kept, "columns": [dict(column) for column in kept["columns"]]}
    for name, allowed in WORDS.items():
        if name in fields:
            chosen[name] = form.one_of(fields[name], path=name, allowed=allowed)
    if "table_name" in fields:
        chosen["table_name"] = _name(fields["table_name"], path="table_name", form=form)
    if "columns" in fields:
        for place, each in enumerate(form.items(fields["columns"], path="columns")):
            path = f"columns[{place}]"
            _choose_column(each, path=path, columns=chosen["columns"], found=found, shape=shape, form=form)
    if "merge_on" in fields:
        chosen["merge_on"] = _merge_on(fields["merge_on"], shape=shape, form=form)
    form.refuse()
    return chosen


def _choose_column(
    raw: Any, *, path: str, columns: list[Json], found: Sequence[Json], shape: TableShape | None, form: Form
) -> None:
    fields = form.fields(raw, path=path, allowed=COLUMN_FIELDS)
    index = fields.get("index")
    if type(index) is not int or not 0 <= index < len(columns):
        message = NOT_A_FILE_COLUMN(last=len(columns) - 1)
        code = "missing" if index is None else "unknown_column"
        form.fault(path=f"{path}.index", code=code, message=message, value=index)
        return
    column = columns[index]
    if "include" in fields:
        column["include"] = form.flag(fields["include"], path=f"{path}.include")
    if "name" in fields:
        column["name"] = _name(fields["name"], path=f"{path}.name", form=form)
    if "into" in fields:
        _choose_place(fields["into"], path=f"{path}.into", column=column, found=found[index], shape=shape, form=form)
    if "type" in fields:
        wanted = form.one_of(fields["type"], path=f"{path}.type", allowed=type_names())
        if column["into"] is not None and wanted != column["type"]:
            form.fault(path=f"{path}.type", code="type_of_column", message=COLUMN_KEEPS_TYPE(), value=wanted)
        elif wanted != column["type"]:
            column |= {"type": wanted, "form": _form_of(wanted, found=found[index]), "options": None}
    if "form" in fields:
        column["form"] = _form(fields["form"], path=f"{path}.form", type_name=column["type"], form=form)
    if "options" in fields:
        column["options"] = _options(fields["options"], path=f"{path}.options", column=column, form=form)


def _form(raw: Any, *, path: str, type_name: str, form: Form) -> str:
    written = form.one_of(raw, path=path, allowed=EVERY_FORM)
    if written not in FORMS.get(type_name, ("",)):
        form.fault(path=path, code="not_of_this_type", message=NOT_WRITTEN_LIKE_THIS(type=type_name))
    return written


def _choose_place(
    raw: Any, *, path: str, column: Json, found: Json, shape: TableShape | None, form: Form
) -> None:
    if raw is None:
        column["into"] = None
        return
    if shape is None:
        form.fault(path=path, code="no_table", message=NO_COLUMNS_YET())
        return
    place = resolve_column(raw, shape=shape, path=path, form=form)
    if place is not None and place.id != column["into"]:
        written = column["form"] if place.type == column["type"] else _form_of(place.type, found=found)
        column |= {"into": place.id, "type": place.type, "options": None, "form": written}


def _options(raw: Any, *, path: str, column: Json, form: Form) -> list[str] | None:
    if raw is None:
        return None
    if not get_column_type(column["type"]).has_options or column["into"] is not None:
        form.fault(path=path, code="no_options", message=OPTIONS_OF_NEW_COLUMNS())
        return None
    return [form.text(each, path=f"{path}[{place}]") for place, each in enumerate(form.items(raw, path=path))]


def _merge_on(raw: Any, *, shape: TableShape | None, form: Form) -> list[str]:
    if shape is None and raw != []:
        form.fault(path="merge_on", code="no_table", message=NO_ROWS_YET())
    if shape is None:
        return []
    refs = form.items(raw, path="merge_on")
    found = [
        resolve_column(ref, shape=shape, path=f"merge_on[{place}]", form=form) for place, ref in enumerate(refs)
    ]
    return list(dict.fromkeys(column.id for column in found if column is not None))


def _name(raw: Any, *, path: str, form: Form) -> str:
    try:
        return check_name(raw)
    except ValueFault as fault:
        form.fault(path=path, code=fault.code, message=fault.message, value=raw)
        return ""
