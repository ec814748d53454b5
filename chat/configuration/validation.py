"""Validate values that administrators enter, with messages that describe valid values."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from difflib import get_close_matches
from typing import Any

from jsonschema import Draft202012Validator, SchemaError

from chat.catalogue import Catalogue, Engine
from chat.configuration.entries import Address
from chat.configuration.fields import ADDED, KINDS, LIMITS, Field
from shared import strictjson

MARKER = re.compile(r"[A-Z][A-Z0-9_]{2,40}:")
NAMES = {
    "client_action": re.compile(r"[a-z][a-z0-9_]{1,63}"),
    "payload_type": re.compile(r"[a-z][a-z0-9_]{1,63}"),
    "help_topic": re.compile(r"[a-z0-9_]{1,40}/[a-z0-9_]{1,40}"),
    "tab": re.compile(r"[^/\s]{1,64}/[A-Za-z0-9_-]{1,64}"),
    "subtab": re.compile(r"[^/\s]{1,64}/[^/]{1,64}/[A-Za-z0-9_-]{1,64}"),
}
NAME_FORMS = {
    "client_action": "lowercase letters, digits and _, for example open_report",
    "payload_type": "lowercase letters, digits and _, for example chart_spec",
    "help_topic": "category/topic in lowercase, for example account/password",
    "tab": "page/tab with letters, digits, _ or -, for example reports/library",
    "subtab": "page/tab/subtab with letters, digits, _ or -, for example reports/library/newest",
}
RESERVED_MARKERS = {"SUGGESTED_VALUES:", "SUGGESTED_ACTIONS:"}
RESERVED_NAMES = {"tool_history"}
# `pattern` would run regular expressions of administrators, references may leave the checked schema, and unevaluated
# properties take quadratic time.
REFUSED_IN_SCHEMAS = {
    "pattern": "List the values in 'enum', or limit the length with 'maxLength'.",
    "patternProperties": "Name each property in 'properties', or use 'additionalProperties'.",
    "$ref": "Copy the schema it refers to.",
    "$dynamicRef": "Copy the schema it refers to.",
    "unevaluatedProperties": "Name each property in 'properties', and use 'additionalProperties'.",
    "unevaluatedItems": "Use 'prefixItems' and 'items'.",
    "$schema": "Remove it: schemas are draft 2020-12.",
    "$id": "Remove it.",
}
MAX_SCHEMA_DEPTH = 20


# A limit cannot exceed the other one. Those of the second list are bound by the other one during a turn anyway, so that
# their defaults may exceed it.
LIMIT_PAIRS = (("call_seconds", "turn_seconds"), ("max_tokens", "context_tokens"))
BOUND_LIMIT_PAIRS = (("first_token_seconds", "turn_seconds"), ("retry_seconds", "turn_seconds"))
PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


def faults_of_value(field: Field, value: Any, *, address: Address, catalogue: Catalogue) -> list[str]:
    """Return the faults of a field's value as sentences that describe valid values."""
    faults = CHECKS[field.form](field, value, catalogue=catalogue)
    if not faults and field.name == "parse_marker":
        faults = _marker_faults(value, address=address, catalogue=catalogue)
    if not faults and field.name == "parameters":
        faults = _parameter_faults(value)
    return faults


def faults_of_limits(engine: Engine, overrides: Mapping[str, Any]) -> dict[str, str]:
    """Return the faults of overridden limits that contradict each other or a default, by their names."""
    given = {name: value for name, value in overrides.items() if name in LIMITS and type(value) is int}
    values = {**asdict(engine), **given}
    faults: dict[str, str] = {}
    for low, high in (*LIMIT_PAIRS, *BOUND_LIMIT_PAIRS):
        if values[low] <= values[high]:
            continue
        low_text, high_text = (f"{LIMITS[name][0]}, which is {values[name]:,}" for name in (low, high))
        if low in given:
            faults.setdefault(low, f"{LIMITS[low][0]} cannot be greater than {high_text}.")
        if high in given and (low, high) in LIMIT_PAIRS:
            faults.setdefault(high, f"{LIMITS[high][0]} cannot be less than {low_text}.")
    return faults


def faults_of_engine(engine: Engine) -> list[str]:
    """Return the faults of limits that contradict each other, by the names of their settings."""
    names = {name: f"CHAT_{name.upper()}" for pair in LIMIT_PAIRS for name in pair}
    return [
        f"{names[low]} ({getattr(engine, low)}) is greater than {names[high]} ({getattr(engine, high)})."
        for low, high in LIMIT_PAIRS
        if getattr(engine, low) > getattr(engine, high)
    ]


def faults_of_entry(address: Address, values: Mapping[str, Any], *, catalogue: Catalogue) -> list[str]:
    """Return the faults of an added entry: its name, and missing fields."""
    return [fault for _, fault in faults_by_field_of_entry(address, values, catalogue=catalogue)]


def faults_by_field_of_entry(
    address: Address, values: Mapping[str, Any], *, catalogue: Catalogue
) -> list[tuple[str, str]]:
    """Return the faults of an added entry as (name of the missing field, fault), "" for those of the entry itself."""
    kind = KINDS.get(address.kind)
    if kind is None or not kind.addable:
        return [("", f"Entries of the kind {address.kind[:64]!r} cannot be added.")]
    missing = [field for field in kind.fields if field.required and not values.get(field.name)]
    faults = faults_of_name(address) or faults_of_parent(address, catalogue=catalogue)
    return [*(("", fault) for fault in faults), *((field.name, f"{field.label} is required.") for field in missing)]


def faults_of_name(address: Address) -> list[str]:
    """Return the faults of the name of an added entry."""
    form = NAME_FORMS[address.kind]
    if not address.name:
        return [f"Enter a name: {form}."]
    if NAMES[address.kind].fullmatch(address.name) and address.name not in RESERVED_NAMES:
        return []
    return [f"{address.name[:64]!r} is not a valid name. Use {form}."]


def faults_of_parent(address: Address, *, catalogue: Catalogue) -> list[str]:
    """Return the faults of a tab without its page, or of a subtab without its tab."""
    if address.kind not in {"tab", "subtab"}:
        return []
    page, tab, subtab = (*address.name.split("/", 2), "", "")[:3]
    config = catalogue.pages.get(page)
    if config is None:
        known: Iterable[str] = catalogue.pages.names()
    elif subtab and tab not in config.tabs:
        known, page = (f"{page}/{name}" for name in config.tabs), f"{page}/{tab}"
    else:
        return []
    nearest = get_close_matches(page, list(known), n=1)
    hint = f" Did you mean {nearest[0]}?" if nearest else ""
    return [f"There is no {'tab' if config else 'page'} {page[:64]!r}.{hint}"]


def _string(field: Field, value: Any, *, catalogue: Catalogue) -> list[str]:
    if not isinstance(value, str):
        return [f"{field.label} must be a text."]
    if strictjson.replace_unstorable_text(value) != value:
        return [f"{field.label} contains a character that cannot be stored (NUL or a lone surrogate)."]
    if len(value) > field.maximum:
        return [f"{field.label} can have up to {field.maximum:,} characters. This value has {len(value):,}."]
    if field.form in {"line", "model"} and "\n" in value.strip():
        return [f"{field.label} must be a single line."]
    return [f"{field.label} cannot be empty. Reset it to use the default."] if _missing(field, value) else []


def _model(field: Field, value: Any, *, catalogue: Catalogue) -> list[str]:
    faults = _string(field, value, catalogue=catalogue)
    if faults or not value or not catalogue.models or value in catalogue.models:
        return faults
    return [f"There is no model {value[:64]!r}. CHAT_MODELS has {', '.join(catalogue.models)}."]


def _missing(field: Field, value: str) -> bool:
    return (field.required or field.never_blank) and not value.strip()


def _flag(field: Field, value: Any, *, catalogue: Catalogue) -> list[str]:
    return [] if isinstance(value, bool) else [f"{field.label} must be on or off."]


def _whole(field: Field, value: Any, *, catalogue: Catalogue) -> list[str]:
    fits = isinstance(value, int) and not isinstance(value, bool) and field.minimum <= value <= field.maximum
    return [] if fits else [f"{field.label} must be a whole number from {field.minimum:,} to {field.maximum:,}."]


def _lines(field: Field, value: Any, *, catalogue: Catalogue) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(line, str) and 0 < len(line.strip()) <= 500 for line in value):
        return [f"{field.label} must be lines of 1 to 500 characters."]
    doubled = next((line for line in value if value.count(line) > 1), "")
    if doubled:
        return [f"{field.label} has {doubled[:64]!r} twice. List it once."]
    if any(strictjson.replace_unstorable_text(line) != line for line in value):
        return [f"{field.label} contains a character that cannot be stored (NUL or a lone surrogate)."]
    return [f"{field.label} can have up to {field.maximum} entries."] if len(value) > field.maximum else []


def _listed(field: Field, value: Any, *, catalogue: Catalogue) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return [f"{field.label} must be a list of names."]
    registry = getattr(catalogue, field.of)
    own = {a.name for page in catalogue.pages for a in page.client_actions if not isinstance(a, str)}
    known = own if field.of == "client_actions" else set()
    faults = []
    for name in value:
        if name not in registry and name not in known:
            nearest = registry.nearest(name)
            hint = f" Did you mean {nearest}?" if nearest else ""
            faults.append(f"There is no {registry.kind} {name[:64]!r}.{hint}")
    return faults if len(value) <= field.maximum else [f"{field.label} can have up to {field.maximum} entries."]


def _schema(field: Field, value: Any, *, catalogue: Catalogue) -> list[str]:
    if not isinstance(value, dict):
        return [f'{field.label} must be an object, for example {{"type": "object", "properties": {{}}}}.']
    if len(strictjson.dumps(value)) > field.maximum:
        return [f"{field.label} can have up to {field.maximum:,} characters."]
    refused = _refused_in(value, depth=0)
    if refused:
        return [f"{field.label} {refused}"]
    try:
        Draft202012Validator.check_schema(value)
    except SchemaError as error:
        return [f"{field.label} is not valid (draft 2020-12) at {error.json_path}: {error.message[:200]}"]
    types = value.get("type", "object")
    if types != "object" and "object" not in types:
        return [f'{field.label} must have "type": "object" at the top level, because payloads are objects.']
    return []


def _refused_in(value: Any, *, depth: int) -> str:
    if depth > MAX_SCHEMA_DEPTH:
        return f"cannot be nested deeper than {MAX_SCHEMA_DEPTH} levels."
    if isinstance(value, dict):
        for name in REFUSED_IN_SCHEMAS:
            if name in value and not (name == "pattern" and isinstance(value[name], dict)):
                return f"cannot have {name!r}. {REFUSED_IN_SCHEMAS[name]}"
        parts = list(value.values())
    else:
        parts = value if isinstance(value, list) else []
    return next((found for part in parts if (found := _refused_in(part, depth=depth + 1))), "")


def _parameter_faults(names: list[str]) -> list[str]:
    faults = []
    for name in names:
        if not PARAMETER.fullmatch(name):
            words = re.findall(r"[A-Za-z0-9]+", name)
            example = "_".join(words).lower()[:64]
            hint = f"for example {example if PARAMETER.fullmatch(example) else 'paper_id'}"
            faults.append(f"{name[:64]!r} is not a valid parameter name. Use letters, digits and _, {hint}.")
    return faults


def _marker_faults(value: str, *, address: Address, catalogue: Catalogue) -> list[str]:
    if not MARKER.fullmatch(value):
        return ["Marker must be 3 to 41 capital letters, digits or _ and a colon, for example CHART_SPEC:"]
    taken = {entry.parse_marker for entry in catalogue.payload_types if entry.name != address.name} | RESERVED_MARKERS
    return [f"Marker {value} is already used. Choose another one."] if value in taken else []


CHECKS: dict[str, Callable[..., list[str]]] = {
    "text": _string,
    "line": _string,
    "model": _model,
    "flag": _flag,
    "whole": _whole,
    "lines": _lines,
    "names": _listed,
    "schema": _schema,
}
assert all(field.form in CHECKS and field.name != ADDED for kind in KINDS.values() for field in kind.fields)
