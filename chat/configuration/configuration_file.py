"""All overrides and stored tests as one JSON file.

`{"format": 1, "entries": [{"kind","name","field","value","base"}], "tests": [{"where","title","messages","position"}]}`
Files without tests have no `tests`.
"""
from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from chat.catalogue import Catalogue
from chat.configuration.apply_overrides import Override, with_added
from chat.configuration.entries import Address, entries_by_address
from chat.configuration.fields import ADDED, KINDS, Field
from chat.configuration.validation import faults_of_entry, faults_of_limits, faults_of_value
from chat.json_schema import SchemaFault
from shared import strictjson

FORMAT = 1
MAX_BYTES = 2_000_000
MAX_ENTRIES = 5_000
MAX_TESTS = 1_000
NEEDED = ("kind", "name", "field", "value")
TEST_KEYS = ("where", "title", "messages", "position")

Json = dict[str, Any]


@dataclass(frozen=True)
class FileEntry:
    """One override of a file. `path` is its path there; `base` is the default it replaced, if the file has one
    (`based`)."""

    path: str
    override: Override
    base: Any = None
    based: bool = False


@dataclass(frozen=True)
class FileTest:
    """A stored test of a file. `path` is its path there, `where` its "page/tab/subtab"."""

    path: str
    where: str
    title: str
    messages: tuple[str, ...]
    position: int


@dataclass(frozen=True)
class FileReading:
    """The entries and tests of a file, and every fault of its form with its path."""

    entries: tuple[FileEntry, ...]
    faults: tuple[SchemaFault, ...]
    tests: tuple[FileTest, ...] = ()


def file_of(entries: Iterable[Json], *, tests: Iterable[Json] = ()) -> bytes:
    """Return a file with these entries, sorted, and these tests: indented for version control, UTF-8."""
    ordered = sorted(entries, key=lambda entry: (entry["kind"], entry["name"], entry["field"] != ADDED, entry["field"]))
    whole: Json = {"format": FORMAT, "entries": ordered}
    if tests := list(tests):
        whole["tests"] = tests
    return (json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode()


def read_file(raw: bytes) -> FileReading:
    """Parse a file; `faults_of_file` checks its entries."""
    if len(raw) > MAX_BYTES:
        return _refused("too_large", detail=f"The file is larger than {MAX_BYTES:,} bytes.")
    try:
        # Some editors write a byte order mark.
        whole = strictjson.loads(raw.removeprefix(b"\xef\xbb\xbf"))
    except strictjson.StrictJsonError as error:
        return _refused(error.code, detail=error.detail, path=error.path)
    if not isinstance(whole, dict) or set(whole) - {"tests"} != {"format", "entries"}:
        detail = 'This is not a configuration export. The format is {"format": 1, "entries": […]}.'
        return _refused("malformed", detail=detail)
    if whole["format"] != FORMAT or isinstance(whole["format"], bool):
        detail = f"Unsupported format. Only {FORMAT} is supported."
        return _refused("unknown_format", detail=detail, path="format")
    items = whole["entries"]
    if not isinstance(items, list) or len(items) > MAX_ENTRIES:
        detail = f"Must be a list of up to {MAX_ENTRIES:,} entries."
        return _refused("malformed", detail=detail, path="entries")
    tests = whole.get("tests", [])
    if not isinstance(tests, list) or len(tests) > MAX_TESTS:
        return _refused("malformed", detail=f"Must be a list of up to {MAX_TESTS:,} tests.", path="tests")
    entries, faults = _read_items(items)
    found = [_read_test(test, path=f"tests[{index}]") for index, test in enumerate(tests)]
    faults += [fault for fault in found if isinstance(fault, SchemaFault)]
    return FileReading(tuple(entries), tuple(faults), tuple(test for test in found if isinstance(test, FileTest)))


def faults_of_file(
    entries: Iterable[FileEntry], *, catalogue: Catalogue, remaining: Iterable[Override] = ()
) -> list[SchemaFault]:
    """Return the faults of the entries under the catalogue of the code, together with the `remaining` overrides."""
    entries, remaining = list(entries), list(remaining)
    whole = {(o.address, o.field): o for o in [*remaining, *(entry.override for entry in entries)]}
    code_entries = entries_by_address(catalogue)
    extended = with_added(catalogue, whole.values(), marked=True)
    added = {address for address, field in whole if field == ADDED and address not in code_entries}
    limits = {field: o.value for (of, field), o in whole.items() if of == Address("engine", "all")}
    contradictions = faults_of_limits(catalogue.engine, limits)
    faults: list[SchemaFault] = []
    for entry in entries:
        override, address = entry.override, entry.override.address
        field = KINDS[override.kind].field(override.field)
        if override.field == ADDED:
            values = {o.field: o.value for (of, _), o in whole.items() if of == address}
            faults += _added_faults(entry, values=values, in_code=address in code_entries, catalogue=extended)
        elif address not in code_entries and address not in added:
            known = [known.name for known in [*code_entries, *added] if known.kind == override.kind]
            detail = f"There is no {override.kind} {override.name[:64]!r}.{_hint(override.name, known=known)}"
            faults.append(SchemaFault(f"{entry.path}.name", "unknown_entry", detail))
        elif field is None or (field.only_added and address in code_entries):
            faults.append(_unknown_field(entry))
        else:
            wrong = _value_faults(entry, field=field, catalogue=extended)
            if not wrong and address.kind == "engine" and override.field in contradictions:
                wrong = [SchemaFault(f"{entry.path}.value", "invalid", contradictions[override.field])]
            faults += wrong
    return faults


def _value_faults(entry: FileEntry, *, field: Field, catalogue: Catalogue) -> list[SchemaFault]:
    override = entry.override
    wrong = faults_of_value(field, override.value, address=override.address, catalogue=catalogue)
    return [SchemaFault(f"{entry.path}.value", "invalid", detail) for detail in wrong]


def _added_faults(entry: FileEntry, *, values: Json, in_code: bool, catalogue: Catalogue) -> list[SchemaFault]:
    override = entry.override
    if in_code:
        detail = f"There is a built-in {override.kind} {override.name[:64]!r}. Remove this entry."
        return [SchemaFault(entry.path, "taken", detail)]
    if override.value is not True:
        return [SchemaFault(f"{entry.path}.value", "invalid", f"The value of {ADDED!r} must be true.")]
    wrong = faults_of_entry(override.address, values, catalogue=catalogue)
    return [SchemaFault(entry.path, "incomplete", detail) for detail in wrong]


def _read_test(item: Any, *, path: str) -> FileTest | SchemaFault:
    """Return a test, or the first fault in its form."""
    if not isinstance(item, dict) or not set(TEST_KEYS[:3]) <= set(item) <= set(TEST_KEYS):
        return SchemaFault(path, "malformed", "A test must be an object with where, title, messages and position.")
    for name in ("where", "title"):
        if not isinstance(item[name], str):
            return SchemaFault(f"{path}.{name}", "malformed", "Must be a text.")
    texts, position = item["messages"], item.get("position", 0)
    if not (isinstance(texts, list) and all(isinstance(text, str) for text in texts)):
        return SchemaFault(f"{path}.messages", "malformed", "Must be a list of texts.")
    if not isinstance(position, int) or isinstance(position, bool):
        return SchemaFault(f"{path}.position", "malformed", "Must be a whole number.")
    return FileTest(path, item["where"], item["title"], tuple(texts), position)


def _read_items(items: list[Any]) -> tuple[list[FileEntry], list[SchemaFault]]:
    """Return the entries, each field once, and the faults in their form."""
    entries: list[FileEntry] = []
    faults: list[SchemaFault] = []
    seen: dict[tuple[Address, str], str] = {}
    for index, item in enumerate(items):
        path = f"entries[{index}]"
        fault = _item_fault(item, path=path)
        if fault is None:
            override = Override(item["kind"], item["name"], item["field"], item["value"])
            first = seen.setdefault((override.address, override.field), path)
            if first == path:
                entries.append(FileEntry(path, override, item.get("base"), "base" in item))
                continue
            fault = SchemaFault(path, "doubled", f"Duplicate of {first}. List each field once.")
        faults.append(fault)
    return entries, faults


def _item_fault(item: Any, *, path: str) -> SchemaFault | None:
    """Return the first fault in the form of an entry."""
    if not isinstance(item, dict):
        return SchemaFault(path, "malformed", "An entry must be an object with kind, name, field, value and base.")
    for name in NEEDED:
        if name not in item:
            return SchemaFault(path, "missing", f"{name!r} is missing.")
    for name in item:
        if name not in NEEDED and name != "base":
            return SchemaFault(f"{path}.{name[:64]}", "unknown_field", f"Unknown key {name[:64]!r}.")
    for name in ("kind", "name", "field"):
        if not isinstance(item[name], str) or not 0 < len(item[name]) <= 200:
            return SchemaFault(f"{path}.{name}", "malformed", "Must be a text of 1 to 200 characters.")
    kind = KINDS.get(item["kind"])
    if kind is None:
        detail = f"There is no kind {item['kind'][:64]!r}.{_hint(item['kind'], known=KINDS)}"
        return SchemaFault(f"{path}.kind", "unknown_kind", detail)
    if kind.field(item["field"]) is None and not (item["field"] == ADDED and kind.addable):
        return _unknown_field(FileEntry(path, Override(kind.name, item["name"], item["field"], None)))
    return None


def _unknown_field(entry: FileEntry) -> SchemaFault:
    kind = KINDS[entry.override.kind]
    name = entry.override.field
    hint = _hint(name, known=[field.name for field in kind.fields if not field.only_added])
    detail = f"{name[:64]!r} is not an editable field of “{kind.label}”.{hint}"
    return SchemaFault(f"{entry.path}.field", "unknown_field", detail)


def _hint(name: str, *, known: Iterable[str]) -> str:
    nearest = get_close_matches(name[:200], list(known), n=1, cutoff=0.4)
    return f" Did you mean {nearest[0]}?" if nearest else ""


def _refused(code: str, *, detail: str, path: str = "") -> FileReading:
    return FileReading((), (SchemaFault(path, code, detail),))
