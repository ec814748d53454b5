"""What is decided about a file, as a form shows it and sends it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as noop

from tables.column_types import COLUMN_TYPES, ColumnSpec, TableShape, ValueFault, get_column_type
from tables.importing.encodings import ENCODINGS
from tables.importing.separators import SEPARATOR_OF, number_parts
from tables.importing.value_formats import FORMS, read_value
from tables.views.value_format import written

Json = dict[str, Any]
Choice = tuple[str, str, bool]
# Of one page, where each column of the file may go into each of the table.
MOST_CHOICES = 5_000
# How values are written, by column type: "" is what the type reads by itself.
WRITTEN = {
    ("date", ""): noop("Year first: 2024-12-31"),
    ("date", "dmy"): noop("Day first: 31/12/2024"),
    ("date", "mdy"): noop("Month first: 12/31/2024"),
    ("number", ""): noop("Decimal point: 1,234.5"),
    ("number", "comma"): noop("Decimal comma: 1.234,5"),
}
DELIMITER_NAMES = {",": noop("Comma"), ";": noop("Semicolon"), "\t": noop("Tab"), "|": noop("Vertical bar")}
# The forms of numbers by decimal separator: those of the whole file.
DECIMAL_NAMES = {"": noop("As the numbers show"), ".": WRITTEN["number", ""], ",": WRITTEN["number", "comma"]}
SHARES_BY_FORM = {
    "": noop("%(share)s of 100 values fit with a decimal point, not %(others)s"),
    "comma": noop("%(share)s of 100 values fit with a decimal comma, not %(others)s"),
}
ON_REFUSED = {
    "ask": noop("Show them to me first"),
    "empty": noop("Leave those cells empty"),
    "skip": noop("Leave out their rows"),
    "stop": noop("Write nothing at all"),
}


@dataclass(frozen=True)
class DrawnColumn:
    """One column of the file. `note` says how sure its type is; `asks`: how its dates are written is not known.

    `unclear` says that its numbers can be read in two ways, and how they are read.

    With `by_name` the place that it goes into is written, as `place`, and not chosen among `places`.
    """

    index: int
    given: str
    examples: tuple[str, ...]
    note: str
    include: bool
    name: str
    types: Sequence[Choice]
    type: str
    written: Sequence[Choice]
    places: Sequence[Choice]
    by_name: bool
    place: str
    goes_into: str
    asks: bool
    unclear: str


def draw_columns(columns: Sequence[Json], *, found: Sequence[Json], shape: TableShape | None) -> list[DrawnColumn]:
    """The columns of a file with all that can be chosen for each."""
    by_name = bool(place_names(columns, shape=shape))
    looks = zip(columns, found, strict=True)
    return [_draw(column, found=looked, shape=shape, by_name=by_name) for column, looked in looks]


def place_names(columns: Sequence[Json], *, shape: TableShape | None) -> list[str]:
    """The columns of the table, where they are to be written by name: so many choices at each of so many columns of
    the file would make a page that no browser draws. Else nothing."""
    names = [column.name for column in _places(shape)]
    return names if len(names) * len(columns) > MOST_CHOICES else []


def _places(shape: TableShape | None) -> list[ColumnSpec]:
    return [column for column in (shape.columns if shape else ()) if get_column_type(column.type).registered]


def _draw(column: Json, *, found: Json, shape: TableShape | None, by_name: bool) -> DrawnColumn:
    place = shape.column(column["into"]) if shape and column["into"] else None
    return DrawnColumn(
        index=column["index"],
        given=found["given"] or found["name"],
        examples=tuple(found["examples"]),
        note=_note(column, found=found),
        include=column["include"],
        name=column["name"],
        types=[(name, _(kind.label), name == column["type"]) for name, kind in COLUMN_TYPES.items()],
        type=column["type"],
        written=_written(column),
        places=[] if by_name else [(each.id, each.name, each.id == column["into"]) for each in _places(shape)],
        by_name=by_name,
        place=place.name if place is not None else "",
        goes_into=column["into"] or "",
        asks=column["include"] and column["form"] is None,
        unclear=_unclear(column, found=found) if column["include"] else "",
    )


def decisions_of(sent: QueryDict, *, columns: Sequence[Json], shape: TableShape | None) -> Json:
    """What a sent form decides, in the words of the API."""
    decided: Json = {"columns": [_decided(sent, column=column, shape=shape) for column in columns]}
    if shape is None:
        decided["table_name"] = sent.get("table_name", "")
    else:
        decided["merge_on"] = sent.getlist("merge_on")
        decided["empty_cells"] = "clear" if sent.get("empty_cells") == "clear" else "keep"
    if sent.get("on_refused") in ON_REFUSED:
        decided["on_refused"] = sent["on_refused"]
    return decided


def unknown_places(sent: QueryDict, *, columns: Sequence[Json], shape: TableShape | None) -> list[str]:
    """Names that were written of columns that the table does not have."""
    indexes = [column["index"] for column in columns if sent.get(f"include-{column['index']}") == "1"]
    named = [sent.get(f"place-{index}", "").strip() for index in indexes]
    return [name for name in dict.fromkeys(named) if name and (shape is None or shape.column(name) is None)]


def reading_of(sent: QueryDict) -> Json:
    """How a sent form says that the file is to be read, in the words of the API."""
    said: Json = {name: sent[name] for name in ("encoding", "delimiter", "sheet") if sent.get(name)}
    if "decimal" in sent:
        said["decimal"] = sent["decimal"]
    return {**said, "header": sent.get("header") == "1"} if "has_header" in sent else said


def encodings(chosen: str) -> list[Choice]:
    """The encodings there are."""
    return [(name, label, name == chosen) for name, label in ENCODINGS.items()]


def delimiters(chosen: str) -> list[Choice]:
    """The delimiters there are."""
    return [(sign, _(label), sign == chosen) for sign, label in DELIMITER_NAMES.items()]


def decimals(chosen: str) -> list[Choice]:
    """The decimal separators there are."""
    return [(sign, _(label), sign == chosen) for sign, label in DECIMAL_NAMES.items()]


def preview_rows(rows: Sequence[Sequence[str]], *, columns: Sequence[Json]) -> list[list[tuple[str, str]]]:
    """The first rows as the table will have them, each cell with what the file says where that differs.

    A cell that cannot be read is empty.
    """
    return [[_preview(cell, column=column) for cell, column in zip(row, columns, strict=True)] for row in rows]


def _preview(cell: str, *, column: Json) -> tuple[str, str]:
    if not (cell and column["include"] and column["type"] in FORMS and column["form"] is not None):
        return cell, ""
    try:
        value = read_value(cell, type_name=column["type"], form=column["form"])
    except ValueFault:
        return "", cell
    text = written(value, type_name=column["type"])
    return text, "" if text == cell.strip() else cell


def _decided(sent: QueryDict, *, column: Json, shape: TableShape | None) -> Json:
    def said(name: str) -> str:
        return sent.get(f"{name}-{column['index']}", "")

    decided: Json = {"index": column["index"], "include": said("include") == "1"}
    if not decided["include"]:
        return decided
    named = said("place").strip()
    place = shape.column(named) if shape and named else None
    if named and place is None:
        # It stays where it went: the page tells of the name.
        return decided
    decided["into"] = place.id if place is not None else said("into") or None
    if decided["into"] is None:
        decided |= {"name": said("name"), "type": said("type")}
    written = said("form")
    # What was chosen for another type says nothing about this one.
    kind = column["type"] if decided["into"] is not None else decided["type"]
    if written != "ask" and f"form-{column['index']}" in sent and written in FORMS.get(kind, ("",)):
        decided["form"] = written
    return decided


def _written(column: Json) -> list[Choice]:
    forms = FORMS.get(column["type"], ())
    listed = [(form, _(WRITTEN[column["type"], form]), form == column["form"]) for form in forms]
    return [("ask", _("Choose: day or month first?"), True), *listed] if column["form"] is None and forms else listed


def _note(column: Json, *, found: Json) -> str:
    if not found["filled"]:
        return _("No values among the first rows")
    if column["type"] != found["type"] or column["type"] in ("text", "select"):
        return ""
    if found["confidence"] == 1:
        return _("All of the first values fit")
    quoted = [_("“%(words)s”") % {"words": each} for each in found["misfits"]]
    words = {"share": round(found["confidence"] * 100), "others": ", ".join(quoted)}
    if column["type"] == "number" and column["form"] == found["form"]:
        sentence = SHARES_BY_FORM[column["form"]]
        return _(sentence) % words
    return _("%(share)s of 100 values fit, not %(others)s") % words


def _unclear(column: Json, *, found: Json) -> str:
    """Which value can be two numbers, and which of them it is read as; "" once that is decided."""
    value, written_form = found.get("unclear"), found.get("number_form")
    if not value or column["type"] != "number" or column["form"] != written_form:
        return ""
    numbers = {}
    for form, separator in SEPARATOR_OF.items():
        parts = number_parts(value, separator=separator) or ("",)
        number = read_value(".".join(filter(None, parts)), type_name="number", form="")
        numbers[form] = written(number, type_name="number")
    words = {"value": value, "one": numbers[""], "other": numbers["comma"], "read": numbers[written_form]}
    return _("“%(value)s” can mean %(one)s or %(other)s. It is read as %(read)s.") % words
