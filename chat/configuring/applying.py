"""The catalogue with what administrators changed. What cannot be used is left out, and said: no turn breaks of it."""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from chat.catalogue import Catalogue
from chat.configuring.checking import faults_of_entry, faults_of_value
from chat.configuring.entries import (
    REGISTRIES,
    SINGLE,
    Address,
    added_entry,
    entries_of,
    registry_of,
    with_tabs,
    with_values,
)
from chat.configuring.fields import ADDED, KINDS
from chat.registry import Registry

Values = dict[Address, dict[str, Any]]


@dataclass(frozen=True)
class Override:
    """One field of one entry with another value."""

    kind: str
    name: str
    field: str
    value: Any

    @property
    def address(self) -> Address:
        """Of the entry."""
        return Address(self.kind, self.name)


def overridden(catalogue: Catalogue, overrides: Iterable[Override], *, version: int) -> Catalogue:
    """The catalogue with these overrides; `faults` names those that could not be used, so that the default stands."""
    overrides = list(overrides)
    faults: list[str] = []
    catalogue = with_added(catalogue, overrides, faults=faults)
    values = _usable(with_added(catalogue, overrides, marked=True), overrides, faults=faults)
    changes: dict[str, Any] = {
        kind: with_values(getattr(catalogue, attribute), values.get(Address(kind, "all"), {}))
        for kind, attribute in SINGLE.items()
    }
    changes["engine"] = catalogue.engine.with_values(values.get(Address("engine", "all"), {}))
    for kind, attribute in REGISTRIES.items():
        changes[attribute] = _registry(registry_of(catalogue, kind=kind), kind=kind, values=values)
    placed = frozenset(address.kind for address, fields in values.items() if "order" in fields)
    return replace(catalogue, **changes, version=version, faults=tuple(faults), placed=placed)


def with_added(
    catalogue: Catalogue, overrides: Iterable[Override], *, faults: list[str] | None = None, marked: bool = False
) -> Catalogue:
    """The catalogue with empty entries for those that administrators added; why one is left out goes to `faults`.

    `marked`: with the markers they ask for, so that others with the same are seen to be wrong.
    """
    faults = [] if faults is None else faults
    given: dict[Address, dict[str, Any]] = defaultdict(dict)
    for override in overrides:
        given[override.address][override.field] = override.value
    registries: dict[str, Registry[Any]] = {}
    for address, values in given.items():
        entry = added_entry(address) if values.get(ADDED) is True else None
        if entry is None:
            continue
        attribute = REGISTRIES[address.kind]
        registry = registries.get(attribute) or registry_of(catalogue, kind=address.kind)
        wrong = faults_of_entry(address, values, catalogue=catalogue)
        if wrong:
            faults += [f"{address.kind} {address.name}: {fault}" for fault in wrong]
        elif address.name not in registry:
            marker = values.get("parse_marker") if marked else None
            marked_entry = with_values(entry, {"parse_marker": marker}) if isinstance(marker, str) else entry
            registries[attribute] = _copy(registry, [*registry, marked_entry])
    return replace(catalogue, **registries)  # type: ignore[arg-type]  # each registry goes where its like was


def _usable(catalogue: Catalogue, overrides: list[Override], *, faults: list[str]) -> Values:
    """The values that fit, by entry and field."""
    known = {address for address, _ in entries_of(catalogue)}
    usable: Values = defaultdict(dict)
    for override in overrides:
        kind = KINDS.get(override.kind)
        if override.field == ADDED or (kind is not None and override.address not in known):
            # What an entry is added by, or a change to something that the code no longer has.
            continue
        field = kind.field(override.field) if kind else None
        place = f"{override.kind} {override.name}, {override.field}"
        if field is None:
            faults.append(f"{place}: there is no such field.")
            continue
        wrong = faults_of_value(field, override.value, address=override.address, catalogue=catalogue)
        if wrong:
            faults += [f"{place}: {fault}" for fault in wrong]
        else:
            usable[override.address][override.field] = override.value
    return usable


def _registry(registry: Registry[Any], *, kind: str, values: Values) -> Registry[Any]:
    """The entries with their values, those that are switched off left out, in their order."""
    placed = []
    for place, entry in enumerate(registry):
        given = values.get(Address(kind, entry.name), {})
        changed = with_values(entry, given)
        if kind == "page":
            changed = with_tabs(changed, values)
        if given.get("enabled", True):
            placed.append((given.get("order", place), place, changed))
    placed.sort(key=lambda item: item[:2])
    return _copy(registry, [entry for _, _, entry in placed])


def _copy(registry: Registry[Any], entries: Iterable[Any]) -> Registry[Any]:
    copy: Registry[Any] = Registry(registry.kind)
    for entry in entries:
        copy.register(entry)
    return copy
