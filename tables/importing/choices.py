"""The user's decisions about a file: how it is read, target columns, and what happens to unreadable cells."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from shared.user_messages import declare
from tables.column_types import COLUMN_TYPES, TableShape, ValueFault, did_you_mean, get_column_type
from tables.column_types.computed import READ_ONLY
from tables.column_types.names import check_name
from tables.column_types.settings import changed_settings, setting_names
from tables.importing.file_formats.encodings import ENCODINGS
from tables.importing.file_formats.source import DECIMALS, DELIMITERS, Source
from tables.importing.names import UNNAMED_TABLE, table_name
from tables.importing.value_formats import all_form_names, form_names
from tables.operations.body_reader import INVALID_CODES, Form
from tables.operations.cells import resolve_column

Json = dict[str, Any]
ON_REFUSED = ("ask", "empty", "skip", "stop")
EMPTY_CELLS = ("keep", "clear")
EMPTY_ROWS = ("skip", "keep")
SETTINGS = {"on_refused": ON_REFUSED, "empty_cells": EMPTY_CELLS, "empty_rows": EMPTY_ROWS}
FIELDS = ("table_name", "columns", "merge_on", *SETTINGS)
# Codes of well-formed decisions that do not fit the file or the table.
INVALID_CHOICE_CODES = {
    "no_table", "type_of_column", "no_options", "not_of_this_format", "not_of_this_type", "read_only", "unknown_sheet",
}  # fmt: skip
NOT_A_FILE_COLUMN = declare("not_a_file_column", "This must be the position of a column in the file, 0 to {last}.")
NOT_A_COLUMN_POSITION = declare("not_a_column_position", "This must be the position of a column in the file, from 0.")
COLUMN_KEEPS_TYPE = declare(
    "column_keeps_type", "An existing column keeps its type. Choose a new column for another type."
)
NOT_WRITTEN_LIKE_THIS = declare("not_written_like_this", "This format does not fit values of type {type}.")
NO_COLUMNS_YET = declare("no_columns_yet", "A new table has no columns to import into.")
OPTIONS_OF_NEW_COLUMNS = declare("options_of_new_columns", "Only new select columns can get options here.")
SETTINGS_OF_NEW_COLUMNS = declare("settings_of_new_columns", "Only new columns can get settings here.")
FILES_NEED_ARCHIVE = declare(
    "files_need_archive", "“{column}” has files, which are only imported from a ZIP archive that contains them."
)
NO_ROWS_YET = declare("no_rows_yet", "A new table has no rows to update.")
NO_SUCH_SHEET = declare("no_such_sheet", "Sheet not found.{hint}")
NOT_OF_THIS_FORMAT = declare("not_of_this_format", "This kind of file has no {field}.")
FORMATS_WITH_OPTION = {"encoding": ("delimited", "records"), "delimiter": ("delimited",), "sheet": ("spreadsheet",)}
NOTHING_DECLARED: Json = {"options": None, "colors": {}, "settings": {}}
COLUMN_FIELDS = ("index", "include", "name", "type", "form", "options", "into")


def read_source(fields: Json, *, source: Source, form: Form) -> tuple[Source | None, bool | None]:
    """Return the changed source and its header option, None to detect it again; (None, None) if nothing changes."""
    changed: Json = {}
    if "encoding" in fields:
        changed["encoding"] = form.one_of(fields["encoding"], path="encoding", allowed=list(ENCODINGS))
    if "delimiter" in fields:
        changed["delimiter"] = form.one_of(fields["delimiter"], path="delimiter", allowed=list(DELIMITERS))
    if "decimal" in fields:
        changed["decimal"] = form.one_of(fields["decimal"], path="decimal", allowed=list(DECIMALS))
    if "sheet" in fields:
        changed["sheet"] = form.text(fields["sheet"], path="sheet")
        if source.format == "spreadsheet" and changed["sheet"] not in source.sheets:
            message = NO_SUCH_SHEET(hint=did_you_mean(changed["sheet"], source.sheets))
            form.fault(path="sheet", code="unknown_sheet", message=message, value=fields["sheet"])
    for name, formats in FORMATS_WITH_OPTION.items():
        if name in changed and source.format not in formats:
            form.fault(path=name, code="not_of_this_format", message=NOT_OF_THIS_FORMAT(field=name))
    header = source.header if source.header_reason in ("", "requested") else None
    if "header" in fields:
        changed["header"] = header = form.flag(fields["header"], path="header")
    wanted = replace(source, **changed)
    return (None, None) if wanted == source else (wanted, header)


def default_choices(
    columns: Sequence[Json],
    *,
    shape: TableShape | None,
    file_name: str,
    unnamed: str = UNNAMED_TABLE,
    with_files: bool = False,
) -> Json:
    """Return the default decisions; columns of the file are imported into table columns of the same name.

    `columns` are those of a sniffed file; `shape` is the target table, None for a new one. `unnamed` is the name of a
    new table if the file has none. `with_files`: whether it is an archive with files.
    """
    chosen: list[Json] = []
    taken: set[str] = set()
    possible_types = importable_types(with_files=with_files)
    for column in columns:
        existing = shape.column(column["given"] or column["name"]) if shape else None
        # The file may be an export of this table, whose computed values and names of files cannot be written.
        is_written = existing is None or existing.type in possible_types
        if existing is not None and (existing.id in taken or existing.type not in possible_types):
            existing = None
        taken.add(existing.id if existing else "")
        type_name = existing.type if existing else column["type"]
        # A value format that fits the file is meaningless for another type.
        fits = type_name == column["type"]
        chosen.append(
            {
                "index": column["index"],
                # Spreadsheets often have empty columns without a name around the data.
                "include": bool(column["given"] or column["filled"]) and is_written,
                "name": column["name"],
                "type": type_name,
                "form": column["form"] if fits else _default_form(type_name, found=column),
                **(_declared(column) if existing is None else NOTHING_DECLARED),
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


def _declared(found: Json) -> Json:
    """Return the settings of a column of the file, and the options that it describes; None for those of its values."""
    # Imports that were examined by an earlier release have less.
    options = found.get("options") or None
    return {"options": options, "colors": found.get("colors", {}), "settings": found.get("settings", {})}


def importable_types(*, with_files: bool) -> tuple[str, ...]:
    """Return the types that a column of a file can have; those of files only if it is an archive with files."""
    return tuple(
        name for name, kind in COLUMN_TYPES.items() if kind.is_writable or (with_files and kind.has_files)
    )


def _default_form(type_name: str, *, found: Json) -> str | None:
    """Return the form of values for a type that was not detected; None if it must be chosen.

    Numbers have the file's separator, dates the order of day and month that most values have.
    """
    # Imports that were examined by an earlier release have neither.
    if get_column_type(type_name).has_decimals:
        return str(found.get("number_form", ""))
    form: str | None = found.get("forms", {}).get(type_name, "")
    return form


def read_choices(
    raw: Json,
    *,
    stored: Json,
    found: Sequence[Json] | None,
    shape: TableShape | None,
    table_is_known: bool = True,
    with_files: bool = False,
) -> Json:
    """Return the `stored` decisions updated by `raw`: any of FIELDS; of columns, those given by their index.

    `found` are the columns of the sniffed file, None if they are not known, and then only what does not depend on them
    is checked; the same applies to the table. `with_files` as in `default_choices`. Raises Malformed and Invalid with
    all paths.
    """
    form = Form(invalid_codes=INVALID_CODES | INVALID_CHOICE_CODES)
    fields = form.fields(raw, path="", allowed=FIELDS)
    chosen = {**stored, "columns": [dict(column) for column in stored["columns"]]}
    for name, allowed in SETTINGS.items():
        if name in fields:
            chosen[name] = form.one_of(fields[name], path=name, allowed=allowed)
    if "table_name" in fields:
        chosen["table_name"] = _name(fields["table_name"], path="table_name", form=form)
    if "columns" in fields:
        for position, each in enumerate(form.items(fields["columns"], path="columns")):
            path = f"columns[{position}]"
            _choose_column(
                each, path=path, columns=chosen["columns"], found=found, shape=shape, table_is_known=table_is_known,
                types=importable_types(with_files=with_files), form=form,
            )  # fmt: skip
    if "merge_on" in fields and table_is_known:
        chosen["merge_on"] = _merge_on(fields["merge_on"], shape=shape, form=form)
    elif "merge_on" in fields:
        form.items(fields["merge_on"], path="merge_on")
    form.refuse()
    return chosen


def _choose_column(
    raw: Any,
    *,
    path: str,
    columns: list[Json],
    found: Sequence[Json] | None,
    shape: TableShape | None,
    table_is_known: bool,
    types: Sequence[str],
    form: Form,
) -> None:
    fields = form.fields(raw, path=path, allowed=(*COLUMN_FIELDS, *setting_names()))
    if not isinstance(raw, dict):
        return
    index = _index(fields.get("index"), path=f"{path}.index", count=None if found is None else len(columns), form=form)
    # Without a column of the file, its fields are only read.
    column = columns[index] if found is not None and index is not None else None
    sniffed = found[index] if found is not None and index is not None else {}
    chosen: Json = {} if column is None else column
    if "include" in fields:
        chosen["include"] = form.flag(fields["include"], path=f"{path}.include")
    if "name" in fields:
        chosen["name"] = _name(fields["name"], path=f"{path}.name", form=form)
    if "into" in fields and table_is_known:
        where = f"{path}.into"
        is_target = _choose_target(
            fields["into"], path=where, column=chosen, found=sniffed, shape=shape, types=types, form=form
        )
        column = column if is_target else None
    elif "into" in fields:
        column = None
    if "type" in fields:
        wanted = form.one_of(fields["type"], path=f"{path}.type", allowed=types)
        column = column if wanted else None
        if column is not None and column["into"] is not None and wanted != column["type"]:
            form.fault(path=f"{path}.type", code="type_of_column", message=COLUMN_KEEPS_TYPE(), value=wanted)
        elif column is not None and wanted != column["type"]:
            declared = _declared(sniffed) if wanted == sniffed["type"] else NOTHING_DECLARED
            column |= {"type": wanted, "form": _default_form(wanted, found=sniffed), **declared}
    if given := {name: fields[name] for name in setting_names() if name in fields}:
        _choose_settings(given, path=path, column=column, form=form)
    if "form" in fields:
        written = _form(fields["form"], path=f"{path}.form", type_name=column["type"] if column else None, form=form)
        chosen["form"] = written
    if "options" in fields:
        chosen["options"] = _options(fields["options"], path=f"{path}.options", column=column, form=form)


def _choose_settings(given: Json, *, path: str, column: Json | None, form: Form) -> None:
    """Set the settings of a new column. Null means the default. They are checked with the column."""
    for name in given:
        if column is not None and column["into"] is not None:
            form.fault(path=f"{path}.{name}", code="type_of_column", message=SETTINGS_OF_NEW_COLUMNS())
    if column is not None and column["into"] is None:
        stored = column.get("settings", {})
        settings = changed_settings(column["type"], stored=stored, changes=given)
        column["settings"] = {name: value for name, value in settings.items() if value is not None}


def _index(raw: Any, *, path: str, count: int | None, form: Form) -> int | None:
    """Return the position of a column in a file of `count` columns; None, with a fault, for another value."""
    if type(raw) is int and raw >= 0 and (count is None or raw < count):
        return raw
    message = NOT_A_COLUMN_POSITION() if count is None else NOT_A_FILE_COLUMN(last=count - 1)
    form.fault(path=path, code="missing" if raw is None else "unknown_column", message=message, value=raw)
    return None


def _form(raw: Any, *, path: str, type_name: str | None, form: Form) -> str:
    """Return the form of the values of a type; None if the type is not known."""
    written = form.one_of(raw, path=path, allowed=all_form_names())
    if raw in all_form_names() and type_name is not None and written not in form_names(type_name):
        form.fault(path=path, code="not_of_this_type", message=NOT_WRITTEN_LIKE_THIS(type=type_name))
    return written


def _choose_target(
    raw: Any, *, path: str, column: Json, found: Json, shape: TableShape | None, types: Sequence[str], form: Form
) -> bool:
    """Set the target in a column of the file, {} if it is not known. Returns whether the target is valid."""
    if raw is None:
        column["into"] = None
        return True
    if shape is None:
        form.fault(path=path, code="no_table", message=NO_COLUMNS_YET())
        return False
    target = resolve_column(raw, shape=shape, path=path, form=form)
    if target is not None and target.is_computed:
        message = ValueFault("read_only", READ_ONLY()).in_column(target.name)
        form.fault(path=path, code="read_only", message=message, value=raw)
        return False
    if target is not None and target.type not in types and get_column_type(target.type).has_files:
        message = FILES_NEED_ARCHIVE(column=target.name)
        form.fault(path=path, code="not_of_this_format", message=message, value=raw)
        return False
    if target is not None and column and target.id != column["into"]:
        written = column["form"] if target.type == column["type"] else _default_form(target.type, found=found)
        column |= {"into": target.id, "type": target.type, "form": written, **NOTHING_DECLARED}
    return target is not None


def _options(raw: Any, *, path: str, column: Json | None, form: Form) -> list[str] | None:
    """Return the options of a new column; `column` is None if it is not known."""
    if raw is None:
        return None
    if column is not None and (not get_column_type(column["type"]).has_options or column["into"] is not None):
        form.fault(path=path, code="no_options", message=OPTIONS_OF_NEW_COLUMNS())
        return None
    return [form.text(each, path=f"{path}[{position}]") for position, each in enumerate(form.items(raw, path=path))]


def _merge_on(raw: Any, *, shape: TableShape | None, form: Form) -> list[str]:
    if shape is None and raw != []:
        form.fault(path="merge_on", code="no_table", message=NO_ROWS_YET())
    if shape is None:
        return []
    refs = form.items(raw, path="merge_on")
    found = [
        resolve_column(ref, shape=shape, path=f"merge_on[{position}]", form=form) for position, ref in enumerate(refs)
    ]
    return list(dict.fromkeys(column.id for column in found if column is not None))


def _name(raw: Any, *, path: str, form: Form) -> str:
    try:
        return check_name(raw)
    except ValueFault as fault:
        form.fault(path=path, code=fault.code, message=fault.message, value=raw)
        return ""
