"""The form for the decisions about a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as noop

from tables.column_types import ColumnSpec, TableShape, ValueFault, get_column_type
from tables.column_types.decimal_separators import LABELS, SEPARATOR_OF, number_parts
from tables.importing.choices import importable_types
from tables.importing.file_formats.encodings import ENCODINGS
from tables.importing.value_formats import form_choices, form_names, read_value
from tables.views.value_format import format_value, settings_text

Json = dict[str, Any]
Choice = tuple[str, str, bool]
# Limit of a page on which each file column has a list of all table columns.
MAX_CHOICES = 5_000
DELIMITER_NAMES = {",": noop("Comma"), ";": noop("Semicolon"), "\t": noop("Tab"), "|": noop("Pipe")}
# Labels of number formats by decimal separator, for the whole file.
DECIMAL_NAMES = {"": noop("Detect automatically"), **LABELS}
SHARES_BY_FORM = {
    "": noop("%(share)s%% of the sample values match a decimal point, but not %(others)s"),
    "comma": noop("%(share)s%% of the sample values match a decimal comma, but not %(others)s"),
}
ON_REFUSED = {
    "ask": noop("Ask me first"),
    "empty": noop("Leave them empty"),
    "skip": noop("Skip their rows"),
    "stop": noop("Import nothing"),
}


@dataclass(frozen=True)
class DrawnColumn:
    """One column of the file. `note` is how certain its type is; `needs_format`: that of its dates is unknown.

    `unclear` describes its ambiguous numbers, and how they are read. `detected` is the number format that its values
    show, and `has_detected` whether the new column gets it.

    With `by_name`, the target column is typed as `target` instead of selected from `targets`.
    """

    index: int
    given: str
    examples: tuple[str, ...]
    note: str
    include: bool
    name: str
    types: Sequence[Choice]
    type: str
    formats: Sequence[Choice]
    targets: Sequence[Choice]
    by_name: bool
    target: str
    target_id: str
    needs_format: bool
    unclear: str
    detected: str
    has_detected: bool


def draw_columns(
    columns: Sequence[Json], *, found: Sequence[Json], shape: TableShape | None, with_files: bool
) -> list[DrawnColumn]:
    """Return the columns of a file with all their choices. `with_files`: whether it is an archive with files."""
    by_name = bool(target_names(columns, shape=shape, with_files=with_files))
    types, pairs = importable_types(with_files=with_files), zip(columns, found, strict=True)
    return [_draw(column, found=guess, shape=shape, by_name=by_name, types=types) for column, guess in pairs]


def target_names(columns: Sequence[Json], *, shape: TableShape | None, with_files: bool) -> list[str]:
    """Return the table's column names if targets must be typed, else nothing.

    A list of all table columns at each of many file columns would make the page too large.
    """
    names = [column.name for column in _target_columns(shape, types=importable_types(with_files=with_files))]
    return names if len(names) * len(columns) > MAX_CHOICES else []


def _target_columns(shape: TableShape | None, *, types: Sequence[str]) -> list[ColumnSpec]:
    return [column for column in (shape.columns if shape else ()) if column.type in types]


def _draw(
    column: Json, *, found: Json, shape: TableShape | None, by_name: bool, types: Sequence[str]
) -> DrawnColumn:
    target = shape.column(column["into"]) if shape and column["into"] else None
    possible = [] if by_name else _target_columns(shape, types=types)
    return DrawnColumn(
        index=column["index"],
        given=found["given"] or found["name"],
        examples=tuple(found["examples"]),
        note=_note(column, found=found, shape=shape),
        include=column["include"],
        name=column["name"],
        types=[(name, _(get_column_type(name).label), name == column["type"]) for name in types],
        type=column["type"],
        formats=_formats(column),
        targets=[(each.id, each.name, each.id == column["into"]) for each in possible],
        by_name=by_name,
        target=target.name if target is not None else "",
        target_id=column["into"] or "",
        needs_format=column["include"] and column["form"] is None,
        unclear=_unclear(column, found=found) if column["include"] else "",
        detected=_detected(column, found=found),
        has_detected=bool(column.get("settings")),
    )


def read_decisions(
    sent: QueryDict, *, columns: Sequence[Json], found: Sequence[Json], shape: TableShape | None
) -> Json:
    """Return the decisions of a submitted form, in the format of the API."""
    pairs = zip(columns, found, strict=True)
    decided: Json = {"columns": [_read_decision(sent, column=one, found=guess, shape=shape) for one, guess in pairs]}
    if shape is None:
        decided["table_name"] = sent.get("table_name", "")
    else:
        decided["merge_on"] = sent.getlist("merge_on")
        decided["empty_cells"] = "clear" if sent.get("empty_cells") == "clear" else "keep"
    if sent.get("on_refused") in ON_REFUSED:
        decided["on_refused"] = sent["on_refused"]
    return decided


def unknown_targets(sent: QueryDict, *, columns: Sequence[Json], shape: TableShape | None) -> list[str]:
    """Return typed target names that the table does not have."""
    indexes = [column["index"] for column in columns if sent.get(f"include-{column['index']}") == "1"]
    named = [sent.get(f"place-{index}", "").strip() for index in indexes]
    return [name for name in dict.fromkeys(named) if name and (shape is None or shape.column(name) is None)]


def read_options(sent: QueryDict) -> Json:
    """Return the reading options of a submitted form, in the format of the API."""
    options: Json = {name: sent[name] for name in ("encoding", "delimiter", "sheet") if sent.get(name)}
    if "decimal" in sent:
        options["decimal"] = sent["decimal"]
    return {**options, "header": sent.get("header") == "1"} if "has_header" in sent else options


def encodings(chosen: str) -> list[Choice]:
    """Return the choices of encodings."""
    return [(name, label, name == chosen) for name, label in ENCODINGS.items()]


def delimiters(chosen: str) -> list[Choice]:
    """Return the choices of delimiters."""
    return [(sign, _(label), sign == chosen) for sign, label in DELIMITER_NAMES.items()]


def decimals(chosen: str) -> list[Choice]:
    """Return the choices of decimal separators."""
    return [(sign, _(label), sign == chosen) for sign, label in DECIMAL_NAMES.items()]


def preview_rows(
    rows: Sequence[Sequence[str]], *, columns: Sequence[Json], shape: TableShape | None
) -> list[list[tuple[str, str]]]:
    """Return the first rows as the table will have them, each cell with the text in the file if that differs.

    A cell that cannot be read is empty.
    """
    zone = timezone.get_current_timezone()
    targets = [
        (shape.column(column["into"]) if shape and column["into"] else None)
        or ColumnSpec("", "", column["type"], settings=tuple(column.get("settings", {}).items()), zone=zone)
        for column in columns
    ]
    pairs = list(zip(columns, targets, strict=True))
    return [
        [_preview(cell, column=column, target=target) for cell, (column, target) in zip(row, pairs, strict=True)]
        for row in rows
    ]


def _preview(cell: str, *, column: Json, target: ColumnSpec) -> tuple[str, str]:
    if not (cell and column["include"] and form_choices(column["type"]) and column["form"] is not None):
        return cell, ""
    try:
        value = read_value(cell, column=target, form=column["form"])
    except ValueFault:
        return "", cell
    text = format_value(value, column=target)
    return text, "" if text == cell.strip() else cell


def _read_decision(sent: QueryDict, *, column: Json, found: Json, shape: TableShape | None) -> Json:
    def submitted(name: str) -> str:
        return sent.get(f"{name}-{column['index']}", "")

    decided: Json = {"index": column["index"], "include": submitted("include") == "1"}
    if not decided["include"]:
        return decided
    named = submitted("place").strip()
    target = shape.column(named) if shape and named else None
    if named and target is None:
        # The target is not changed; the page reports the unknown name.
        return decided
    decided["into"] = target.id if target is not None else submitted("into") or None
    if decided["into"] is None:
        decided |= {"name": submitted("name"), "type": submitted("type")}
        if submitted("has_detected") and decided["type"] == column["type"]:
            decided |= _detected_settings(column, found=found, is_chosen=submitted("detected") == "1")
    written_form = submitted("form")
    # A format chosen for another type does not apply.
    kind = column["type"] if decided["into"] is not None else decided["type"]
    if written_form != "ask" and f"form-{column['index']}" in sent and written_form in form_names(kind):
        decided["form"] = written_form
    return decided


def _detected(column: Json, *, found: Json) -> str:
    """Return the settings that the values of a new column show, as text: “Currency, EUR”; "" for none."""
    settings = found.get("settings") or {}
    if column["into"] is not None or column["type"] != found["type"]:
        return ""
    return settings_text(settings)


def _detected_settings(column: Json, *, found: Json, is_chosen: bool) -> Json:
    """Return the settings of a new column: those that its values show, or the defaults."""
    settings = {**column.get("settings", {}), **(found.get("settings") or {})}
    return {name: value if is_chosen else None for name, value in settings.items()}


def _formats(column: Json) -> list[Choice]:
    forms = form_choices(column["type"])
    listed = [(form.name, _(form.label), form.name == column["form"]) for form in forms]
    return [("ask", _("Choose day or month first"), True), *listed] if column["form"] is None and forms else listed


def _note(column: Json, *, found: Json, shape: TableShape | None) -> str:
    kind = get_column_type(column["type"])
    namesake = shape.column(found["given"] or found["name"]) if shape else None
    if namesake is not None and namesake.is_computed and not column["include"]:
        return _("The table computes these values")
    if not found["filled"]:
        return _("No values in the first rows")
    if column["type"] != found["type"] or not kind.detected:
        return ""
    if found["confidence"] == 1:
        return _("All sample values match")
    quoted = [_("“%(words)s”") % {"words": each} for each in found["misfits"]]
    words = {"share": round(found["confidence"] * 100), "others": ", ".join(quoted)}
    if kind.has_decimals and column["form"] == found["form"]:
        sentence = SHARES_BY_FORM[column["form"]]
        return _(sentence) % words
    return _("%(share)s%% of the sample values match, but not %(others)s") % words


def _unclear(column: Json, *, found: Json) -> str:
    """Return an ambiguous number and how it is read; "" once the user has decided."""
    value, written_form = found.get("unclear"), found.get("number_form")
    if not value or not get_column_type(column["type"]).has_decimals or column["form"] != written_form:
        return ""
    numbers, plain = {}, ColumnSpec("", "", column["type"])
    for form, separator in SEPARATOR_OF.items():
        parts = number_parts(value, separator=separator) or ("",)
        number = read_value(".".join(filter(None, parts)), column=plain, form="")
        numbers[form] = format_value(number, column=plain)
    words = {"value": value, "one": numbers[""], "other": numbers["comma"], "read": numbers[written_form]}
    return _("“%(value)s” can mean %(one)s or %(other)s. It is read as %(read)s.") % words
