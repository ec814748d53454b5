"""Reading configuration files: any content gives errors, never an exception."""
from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chat.catalogue import CODE
from chat.configuration import KINDS, entries_by_address, faults_of_file, file_of, read_file

WORDS = st.sampled_from(["tool", "page", "get_rows", "table_view", "description", "added", "tools", "all", ""])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5) | WORDS, inner, max_size=4),
    max_leaves=12,
)
ADDRESSES = st.sampled_from(list(entries_by_address(CODE)))
FIELDS = st.dictionaries(
    st.tuples(ADDRESSES, st.integers(0, 2)), st.text(max_size=20).filter(str.isprintable), max_size=5
)
ENTRIES = st.fixed_dictionaries(
    {"kind": WORDS | st.sampled_from(list(KINDS)) | JSON, "name": WORDS | JSON, "field": WORDS | JSON, "value": JSON},
    optional={"base": JSON},
)


@given(st.binary() | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_file_is_read_without_an_exception(raw: bytes) -> None:
    reading = read_file(raw)
    assert reading.entries or reading.faults or json.loads(raw)["entries"] == []


@given(st.lists(ENTRIES, max_size=5))
def test_every_entry_is_either_accepted_or_refused_with_its_path(entries: list[Any]) -> None:
    reading = read_file(json.dumps({"format": 1, "entries": entries}).encode())
    faults_of_file(reading.entries, catalogue=CODE)
    paths = {entry.path for entry in reading.entries} | {fault.path.partition(".")[0] for fault in reading.faults}
    whole = {f"entries[{index}]" for index in range(len(entries))}
    assert paths == whole or not reading.entries


@given(FIELDS)
def test_written_file_reads_the_same(values: dict[Any, str]) -> None:
    entries = [
        {
            "kind": address.kind,
            "name": address.name,
            "field": KINDS[address.kind].fields[index % len(KINDS[address.kind].fields)].name,
            "value": value,
            "base": None,
        }
        for (address, index), value in values.items()
    ]
    unique = {(entry["kind"], entry["name"], entry["field"]): entry for entry in entries}
    reading = read_file(file_of(unique.values()))
    assert reading.faults == ()
    read = [(*entry.override.address, entry.override.field, entry.override.value) for entry in reading.entries]
    assert sorted(read) == sorted((*key, entry["value"]) for key, entry in unique.items())
