"""The form of one entry: its fields as they are sent, and what is to be changed by them."""
from __future__ import annotations

import json
from typing import Any

from django.http import QueryDict

import strictjson
from chat.configuration import ADDED, Address, Field
from chat.exceptions import Malformed
from chat.json_schema import SchemaFault
from chat.selectors.configuration import EntryView, values_seen
from chat.services.configuration import RESET, Edit

FIELD, RESET_BOX = "field-", "reset-"
# Sent when a form is to be shown once more as it was filled in.
AGAIN = "again"


def read_entry_form(form: QueryDict, *, entry: EntryView) -> Edit:
    """The change that a sent form asks for: fields that say the same as the code follow the code, and those that say
    what the editor had before them are left as they are, whoever changed them meanwhile. An empty box for a number
    stands for the default.

    Raises Malformed for a field that cannot be read at all.
    """
    values: dict[str, Any] = {}
    seen = values_seen(entry, version=seen_of(form))
    for view in entry.fields:
        name = view.field.name
        if form.get(RESET_BOX + name):
            values[name] = RESET
            continue
        if view.field.form == "whole" and not form.get(FIELD + name, "").strip():
            if view.overridden and seen[name] != view.default:
                values[name] = RESET
            continue
        value = value_in(form, view.field)
        if value not in (seen[name], view.value):
            # What administrators made follows no code.
            values[name] = RESET if value == view.default and not entry.added else value
    return Edit(entry.address, values, seen=seen_of(form))


def touched_in(form: QueryDict, *, entry: EntryView) -> set[str]:
    """The fields that the editor changed, by name."""
    return set(read_entry_form(form, entry=entry).values)


def unsaved_in(form: QueryDict, *, entry: EntryView | None) -> list[Edit]:
    """What the form of an entry holds that is not saved. Raises Malformed."""
    # A form without its fields, as a link brings it, holds nothing.
    if entry is None or not any(key.startswith(FIELD) for key in form):
        return []
    return [read_entry_form(form, entry=entry)]


def seen_of(form: QueryDict) -> int | None:
    """The version the editor had before them."""
    seen = form.get("seen", "")
    return int(seen) if seen.isascii() and seen.isdigit() and len(seen) < 12 else None


def read_new_entry(form: QueryDict, *, address: Address, fields: tuple[Field, ...]) -> Edit:
    """A new entry with what was filled in."""
    values: dict[str, Any] = {ADDED: True}
    for field in fields:
        if field.form == "flag" or form.get(FIELD + field.name, "").strip():
            values[field.name] = value_in(form, field)
    return Edit(address, values)


def value_in(form: QueryDict, field: Field) -> Any:
    """The value of a field as it was sent. Raises Malformed."""
    name = FIELD + field.name
    text = form.get(name, "").replace("\r\n", "\n")
    match field.form:
        case "flag":
            return bool(form.get(name))
        case "whole":
            return _whole(text, field=field)
        case "names":
            return list(form.getlist(name))
        case "lines":
            return [line.strip() for line in text.split("\n") if line.strip()]
        case "schema":
            return _schema(text, field=field)
        case "line" | "model":
            return text.strip()
        case _:
            return text


def text_of(value: Any) -> str:
    """A value as it stands in a text box."""
    if isinstance(value, list):
        return "\n".join(str(item) for item in value)
    if isinstance(value, dict):
        return json.dumps(value, indent=2, ensure_ascii=False)
    return "" if value is None else str(value)


def _whole(text: str, *, field: Field) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) < 12):
        raise _malformed(field, detail=f"{field.label} is a whole number from {field.least:,} to {field.most:,}.")
    return int(digits)


def _schema(text: str, *, field: Field) -> Any:
    try:
        return strictjson.read(text.encode("utf-8", "replace"))
    except ValueError as error:
        raise _malformed(field, detail=f"{field.label} is not JSON: {error}") from None


def _malformed(field: Field, *, detail: str) -> Malformed:
    return Malformed(detail, path=field.name, faults=[SchemaFault(field.name, "invalid", detail)])
