"""Parsing of the form of an entry: submitted values, and the edit that results from them."""
from __future__ import annotations

import json
from typing import Any

from django.http import QueryDict

from chat.configuration import ADDED, Address, Field
from chat.exceptions import Malformed, NotFound
from chat.json_schema import SchemaFault
from chat.selectors.configuration.entries import EntryView, values_at_version
from chat.services.configuration.changes import RESET, Edit, validate_edits
from shared import strictjson

FIELD_PREFIX, RESET_PREFIX, BASE_PREFIX = "field-", "reset-", "base-"
# Submitted to show the form again as it was filled in, without saving it.
REDISPLAY = "again"


def is_entry_field(key: str) -> bool:
    """Return whether the key is a field of the form of an entry or a stored test, which a draft has."""
    names = {"seen", "why", "name", "conflict", "conflict_base"}
    return key.startswith((FIELD_PREFIX, RESET_PREFIX, BASE_PREFIX, "resolve-", "mine-")) or key in names


def read_entry_form(form: QueryDict, *, entry: EntryView) -> Edit:
    """Return the change that a submitted form requests.

    Fields equal to their default are reset. Fields that are the same as when the form was shown are not changed, even
    if another editor has changed them since. An empty number is the default.

    Raises Malformed with the faults of all fields that cannot be parsed.
    """
    edit, faults = parse_entry_form(form, entry=entry)
    _raise(faults)
    return edit


def parse_entry_form(form: QueryDict, *, entry: EntryView) -> tuple[Edit, list[SchemaFault]]:
    """Return the change like `read_entry_form`, without the fields that cannot be parsed, and the faults of these."""
    values: dict[str, Any] = {}
    faults: list[SchemaFault] = []
    seen = values_at_version(entry, version=version_seen(form))
    for view in entry.fields:
        name = view.field.name
        if form.get(RESET_PREFIX + name):
            values[name] = RESET
            continue
        if view.field.form == "whole" and not form.get(FIELD_PREFIX + name, "").strip():
            if view.overridden and seen[name] != view.default:
                values[name] = RESET
            continue
        try:
            value = read_value(form, view.field)
        except Malformed as error:
            faults += _schema_faults(error)
            continue
        if value not in (seen[name], view.value):
            # Added entries have no default in the code.
            values[name] = RESET if value == view.default and not entry.added else value
    return Edit(entry.address, values, seen=version_seen(form)), faults


def changed_fields(form: QueryDict, *, entry: EntryView) -> set[str]:
    """Return the names of the fields that the editor changed."""
    return set(read_entry_form(form, entry=entry).values)


def unsaved_edits(form: QueryDict, *, entry: EntryView) -> list[Edit]:
    """Return the change that is in the form and not saved, if any. Raises Malformed."""
    # Pages that were opened by a link have no form fields.
    if not any(key.startswith(FIELD_PREFIX) for key in form):
        return []
    return [read_entry_form(form, entry=entry)]


def version_seen(form: QueryDict, *, name: str = "seen") -> int | None:
    """Return the version of the configuration that the editor's page was rendered from."""
    seen = form.get(name, "")
    return int(seen) if seen.isascii() and seen.isdigit() and len(seen) < 12 else None


def parse_new_entry(
    form: QueryDict, *, address: Address, fields: tuple[Field, ...], complete: bool
) -> tuple[Edit, list[SchemaFault]]:
    """Return the edit that adds an entry with the filled-in fields, and the faults of invalid ones.

    `complete`: missing fields are faults as well.
    """
    values: dict[str, Any] = {ADDED: True}
    faults: list[SchemaFault] = []
    for field in fields:
        try:
            if field.form == "flag" or form.get(FIELD_PREFIX + field.name, "").strip():
                values[field.name] = read_value(form, field)
            elif field.required and complete:
                faults.append(SchemaFault(field.name, "required", f"{field.label} is required."))
        except Malformed as error:
            faults += _schema_faults(error)
    return Edit(address, values), faults


def check_all_fields(edit: Edit, *, faults: list[SchemaFault]) -> None:
    """Raise Malformed if the form has faults: with these, and with those of the values that can be parsed."""
    if not faults:
        return
    found = list(faults)
    try:
        validate_edits([edit])
    except Malformed as error:
        # Missing fields and the name are among the faults of the form.
        found += [fault for fault in _schema_faults(error) if fault.code == "invalid"]
    except NotFound:
        # The name cannot be stored, which is among the faults of the form.
        pass
    _raise(found)


def _schema_faults(error: Malformed) -> list[SchemaFault]:
    return [fault for fault in error.faults if isinstance(fault, SchemaFault)]


def _raise(faults: list[SchemaFault]) -> None:
    if faults:
        raise Malformed(faults[0].detail, path=faults[0].path, faults=faults)


def read_value(form: QueryDict, field: Field) -> Any:
    """Return the submitted value of a field. Raises Malformed."""
    name = FIELD_PREFIX + field.name
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


def value_as_text(value: Any) -> str:
    """Return a value as the content of a text box."""
    if isinstance(value, list):
        return "\n".join(str(item) for item in value)
    if isinstance(value, dict):
        return json.dumps(value, indent=2, ensure_ascii=False)
    return "" if value is None else str(value)


def _whole(text: str, *, field: Field) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) < 12):
        limits = f"from {field.minimum:,} to {field.maximum:,}"
        raise _malformed(field, detail=f"{field.label} must be a whole number {limits}.")
    return int(digits)


def _schema(text: str, *, field: Field) -> Any:
    try:
        return strictjson.loads(text.encode("utf-8", "replace"))
    except ValueError as error:
        raise _malformed(field, detail=f"{field.label} is not valid JSON: {error}") from None


def _malformed(field: Field, *, detail: str) -> Malformed:
    return Malformed(detail, path=field.name, faults=[SchemaFault(field.name, "invalid", detail)])
