"""Entries of the configuration with their defaults and the overrides of administrators."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from chat.agent.tools import ToolConfig
from chat.configuration import (
    ADDED,
    KINDS,
    Address,
    Field,
    Kind,
    added_entry,
    difference,
    entries_by_address,
    values_of,
)
from chat.exceptions import NotFound
from chat.models import ConfigurationChange, Override
from chat.selectors.configuration.catalogue import current_version, default_catalogue
from chat.selectors.configuration.names import description_of, readable_name
from shared.user_messages import declare

NO_SUCH_ENTRY = declare("no_such_entry", "There is no such entry.")

Json = dict[str, Any]


@dataclass(frozen=True)
class FieldView:
    """A field of an entry: its default from code, the current value, and the override if there is one."""

    field: Field
    default: Any
    value: Any
    override: Override | None = None

    @property
    def overridden(self) -> bool:
        """Whether the value is an administrator's."""
        return self.override is not None

    @property
    def default_changed(self) -> bool:
        """Whether the default has changed since the override was written."""
        return self.override is not None and self.override.base != self.default

    @property
    def since(self) -> list[tuple[str, str]]:
        """The changes of the default since then, as lines with their sign."""
        if self.override is None or not self.default_changed:
            return []
        return difference(self.override.base, self.default)

    @property
    def difference(self) -> list[tuple[str, str]]:
        """The differences between default and value, as lines with their sign: " ", "−" or "+"."""
        return difference(self.default, self.value) if self.overridden else []


@dataclass(frozen=True)
class EntryView:
    """An entry with its fields, whether administrators added it, and the version of the configuration."""

    address: Address
    kind: Kind
    added: bool
    fields: tuple[FieldView, ...]
    version: int


@dataclass(frozen=True)
class EntrySummary:
    """An entry in the list of all entries.

    `changed` is the number of overridden fields, and `changed_defaults` the number of those whose default has changed
    since. `category` is that of a tool, "" for other kinds. `label` is the readable name, `description` a sentence.
    """

    address: Address
    added: bool
    changed: int
    changed_defaults: int
    category: str = ""
    label: str = ""
    description: str = ""


def entry_view(address: Address) -> EntryView:
    """Return an entry with its defaults and overrides. Raises NotFound."""
    kind = KINDS.get(address.kind)
    rows = {row.field: row for row in _rows().filter(kind=address.kind, name=address.name)}
    code_entry = entries_by_address(default_catalogue()).get(address)
    added = code_entry is None and ADDED in rows
    entry = code_entry.entry if code_entry is not None else added_entry(address) if added else None
    if kind is None or entry is None:
        raise NotFound(NO_SUCH_ENTRY())
    defaults = values_of(entry, position=code_entry.position if code_entry is not None else 0)
    fields = []
    for field in kind.fields:
        if field.only_added and not added:
            continue
        default, row = defaults.get(field.name), rows.get(field.name)
        fields.append(FieldView(field, default, default if row is None else row.value, row))
    return EntryView(address, kind, added, tuple(fields), current_version())


def has_page(address: Address) -> bool:
    """Return whether the admin URL of the entry is valid; names written by SQL can be any text."""
    return bool(address.name) and "\n" not in address.name


def values_at_version(entry: EntryView, *, version: int | None) -> dict[str, Any]:
    """Return the values of the entry's fields at a version, which an editor's form was rendered from; None: now."""
    values = {view.field.name: view.value for view in entry.fields}
    if version is None or version >= entry.version:
        return values
    defaults = {view.field.name: view.default for view in entry.fields}
    since = ConfigurationChange.objects.filter(kind=entry.kind.name, name=entry.address.name, version__gt=version)
    # Newest first, so that the value before the oldest change is assigned last.
    for field, before in since.order_by("-version", "-pk").values_list("field", "before").iterator():
        if field in values:
            values[field] = defaults[field] if before is None else before["value"]
    return values


def entry_summaries() -> list[tuple[Kind, list[EntrySummary]]]:
    """Return all entries by kind, with those that administrators added last, in a constant number of queries."""
    by_address: dict[Address, dict[str, Override]] = defaultdict(dict)
    for row in _rows():
        by_address[Address(row.kind, row.name)][row.field] = row
    lines: dict[str, list[EntrySummary]] = {name: [] for name in KINDS}
    code_entries = entries_by_address(default_catalogue())
    for address, code_entry in code_entries.items():
        rows = by_address.get(address, {})
        defaults = values_of(code_entry.entry, position=code_entry.position) if rows else {}
        # Rows written by SQL can have other fields, which the page of the entry does not show.
        shown = [row for name, row in rows.items() if _is_field_of_code_entry(address.kind, field=name)]
        changed_defaults = sum(1 for row in shown if row.base != defaults.get(row.field))
        category = code_entry.entry.category if isinstance(code_entry.entry, ToolConfig) else ""
        names = readable_name(*address), description_of(code_entry.entry)
        lines[address.kind].append(EntrySummary(address, False, len(shown), changed_defaults, category, *names))
    for address, rows in by_address.items():
        if address not in code_entries and ADDED in rows and address.kind in lines and has_page(address):
            label = readable_name(*address)
            lines[address.kind].append(EntrySummary(address, True, len(rows) - 1, 0, label=label))
    return [(kind, lines[name]) for name, kind in KINDS.items() if lines[name] or kind.addable]


def _is_field_of_code_entry(kind: str, *, field: str) -> bool:
    """Return whether entries of this kind that are declared in code have this field."""
    found = KINDS[kind].field(field)
    return found is not None and not found.only_added


def entry_exists(address: Address) -> bool:
    """Return whether the entry exists, in code or added by administrators."""
    added = Override.objects.filter(kind=address.kind, name=address.name, field=ADDED)
    return address in entries_by_address(default_catalogue()) or added.exists()


def _rows() -> Any:
    return Override.objects.select_related("updated_by").order_by("pk")
