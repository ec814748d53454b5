"""Reads of what administrators changed: entries with their defaults and differences."""
from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from chat.configuration import (
    ADDED,
    KINDS,
    Address,
    Field,
    Kind,
    added_entry,
    difference,
    places_of,
    values_of,
    words_of,
)
from chat.exceptions import NotFound
from chat.models import ConfigurationChange, Override
from chat.overrides import current_version, default_catalogue
from user_messages import declare

NO_SUCH_ENTRY = declare("no_such_entry", "There is no such entry.")

Json = dict[str, Any]


@dataclass(frozen=True)
class FieldView:
    """One field of an entry: what the code says (`default`), what is in force (`value`), and whether that was changed.

    `base` is the default that the change was written against; `moved_on` says that the code has changed it since.
    """

    field: Field
    default: Any
    value: Any
    override: Override | None = None

    @property
    def overridden(self) -> bool:
        """Whether an administrator's value is in force."""
        return self.override is not None

    @property
    def moved_on(self) -> bool:
        """Whether the code's own value is another one than when the change was made."""
        return self.override is not None and self.override.base != self.default

    @property
    def since(self) -> list[tuple[str, str]]:
        """What the code has changed of its own value since, line by line."""
        return difference(self.override.base, self.default) if self.override is not None and self.moved_on else []

    @property
    def difference(self) -> list[tuple[str, str]]:
        """The lines from the default to the value, each with its sign: " ", "−" or "+"."""
        return difference(self.default, self.value) if self.overridden else []


@dataclass(frozen=True)
class EntryView:
    """One entry with its fields. `added`: administrators made it. `version`: of the configuration as read."""

    address: Address
    kind: Kind
    added: bool
    fields: tuple[FieldView, ...]
    version: int


@dataclass(frozen=True)
class EntryLine:
    """One entry in the list of all: how many fields are changed, and of how many the default has changed since; `words`
    are its name for people."""

    address: Address
    words: str
    added: bool
    changed: int
    moved_on: int


def entry_view(address: Address) -> EntryView:
    """The entry with its defaults and changes. Raises NotFound."""
    kind = KINDS.get(address.kind)
    rows = {row.field: row for row in _rows().filter(kind=address.kind, name=address.name)}
    place = places_of(default_catalogue()).get(address)
    added = place is None and ADDED in rows
    entry = place.entry if place is not None else added_entry(address) if added else None
    if kind is None or entry is None:
        raise NotFound(NO_SUCH_ENTRY())
    defaults = values_of(entry, place=place.number if place is not None else 0)
    fields = []
    for field in kind.fields:
        if field.only_added and not added:
            continue
        default, row = defaults.get(field.name), rows.get(field.name)
        fields.append(FieldView(field, default, default if row is None else row.value, row))
    return EntryView(address, kind, added, tuple(fields), current_version())


def has_page(address: Address) -> bool:
    """Whether the page of an entry can have such an address: past the checks entries are called anything."""
    return bool(address.name) and "\n" not in address.name


def values_seen(entry: EntryView, *, version: int | None) -> dict[str, Any]:
    """The values of the entry's fields as they were at that version: what an editor had before them. None: as now."""
    values = {view.field.name: view.value for view in entry.fields}
    if version is None or version >= entry.version:
        return values
    defaults = {view.field.name: view.default for view in entry.fields}
    since = ConfigurationChange.objects.filter(kind=entry.kind.name, name=entry.address.name, version__gt=version)
    # The newest first, so that what stays is what the oldest of them found.
    for field, before in since.order_by("-version", "-pk").values_list("field", "before").iterator():
        if field in values:
            values[field] = defaults[field] if before is None else before["value"]
    return values


def entry_lines() -> list[tuple[Kind, list[EntryLine]]]:
    """Every entry there is, kind by kind, those that administrators added last; a constant number of queries."""
    by_address: dict[Address, dict[str, Override]] = defaultdict(dict)
    for row in _rows():
        by_address[Address(row.kind, row.name)][row.field] = row
    lines: dict[str, list[EntryLine]] = {name: [] for name in KINDS}
    places = places_of(default_catalogue())
    for address, place in places.items():
        rows = by_address.get(address, {})
        defaults = values_of(place.entry, place=place.number) if rows else {}
        # Others, which somebody wrote past the checks, are on no page of an entry.
        shown = [row for name, row in rows.items() if _is_of_code(address.kind, field=name)]
        moved_on = sum(1 for row in shown if row.base != defaults.get(row.field))
        lines[address.kind].append(EntryLine(address, words_of(address), False, len(shown), moved_on))
    for address, rows in by_address.items():
        if address not in places and ADDED in rows and address.kind in lines and has_page(address):
            lines[address.kind].append(EntryLine(address, words_of(address), True, len(rows) - 1, 0))
    return [(kind, lines[name]) for name, kind in KINDS.items() if lines[name] or kind.addable]


def _is_of_code(kind: str, *, field: str) -> bool:
    """Whether the code's entries of this kind have such a field to be changed."""
    found = KINDS[kind].field(field)
    return found is not None and not found.only_added


def is_taken(address: Address) -> bool:
    """Whether there is such an entry: the code's, or one that administrators made."""
    made = Override.objects.filter(kind=address.kind, name=address.name, field=ADDED)
    return address in places_of(default_catalogue()) or made.exists()


def _rows() -> Any:
    return Override.objects.select_related("updated_by").order_by("pk")
