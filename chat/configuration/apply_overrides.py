"""Apply overrides to a catalogue. Faulty overrides are ignored and reported, so that no turn fails because of them."""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from chat.catalogue import Catalogue
from chat.configuration.entries import (
    REGISTRIES,
    SINGLE,
    Address,
    added_entry,
    entries_of,
    registry_of,
    with_tabs,
    with_values,
)
from chat.configuration.fields import ADDED, KINDS
from chat.configuration.validation import faults_of_entry, faults_of_value
from chat.registry import Registry

Values = dict[Address, dict[str, Any]]

# Why a valid override has no effect.
GONE = "This entry no longer exists."
ITSELF = "This entry is now built in."
WITH_ENTRY = "The added entry is invalid."


@dataclass(frozen=True)
class Override:
    """Another value for one field of one entry."""

    kind: str
    name: str
    field: str
    value: Any

    @property
    def address(self) -> Address:
        """Return the address of the entry."""
        return Address(self.kind, self.name)


@dataclass(frozen=True)
class Judged:
    """An override with its faults.

    `left_over` is the reason why a valid override has no effect, for instance after an upgrade that removed its entry.
    """

    override: Override
    faults: tuple[str, ...] = ()
    left_over: str = ""

    @property
    def is_used(self) -> bool:
        """Whether it takes effect."""
        return not self.faults and not self.left_over

    @property
    def in_words(self) -> tuple[str, ...]:
        """Return each fault with the address of the entry."""
        kind, name, field = self.override.kind, self.override.name, self.override.field
        place = f"{kind} {name}" if field == ADDED else f"{kind} {name}, {field}"
        return tuple(f"{place}: {fault}" for fault in self.faults)


def overridden(catalogue: Catalogue, overrides: Iterable[Override], *, version: int) -> Catalogue:
    """Return the catalogue with these overrides; its `faults` describe those that are ignored."""
    overrides = list(overrides)
    verdicts = judged(catalogue, overrides)
    catalogue = with_added(catalogue, overrides)
    values: Values = defaultdict(dict)
    for verdict in verdicts:
        if verdict.is_used and verdict.override.field != ADDED:
            values[verdict.override.address][verdict.override.field] = verdict.override.value
    changes: dict[str, Any] = {
        kind: with_values(getattr(catalogue, attribute), values.get(Address(kind, "all"), {}))
        for kind, attribute in SINGLE.items()
    }
    changes["engine"] = catalogue.engine.with_values(values.get(Address("engine", "all"), {}))
    for kind, attribute in REGISTRIES.items():
        changes[attribute] = _registry(registry_of(catalogue, kind=kind), kind=kind, values=values)
    placed = frozenset(address.kind for address, fields in values.items() if "order" in fields)
    faults = tuple(fault for verdict in verdicts for fault in verdict.in_words)
    return replace(catalogue, **changes, version=version, faults=faults, placed=placed)


def judged(catalogue: Catalogue, overrides: Iterable[Override]) -> list[Judged]:
    """Check each override together with the others, in their order; `catalogue` is that of the code."""
    overrides = list(overrides)
    given = _by_address(overrides)
    in_code = {address for address, _ in entries_of(catalogue)}
    extended = with_added(catalogue, overrides, marked=True)
    there = {address for address, _ in entries_of(extended)}
    verdicts = []
    for override in overrides:
        address, values = override.address, given[override.address]
        doubled = ADDED in values and address in in_code
        if override.kind not in KINDS:
            verdicts.append(Judged(override, ("There is no such kind of entry.",)))
        elif override.field == ADDED:
            faults = () if doubled else tuple(faults_of_entry(address, values, catalogue=extended))
            if not faults and override.value is not True:
                faults = (f"The value of {ADDED!r} must be true.",)
            verdicts.append(Judged(override, faults, ITSELF if doubled else ""))
        elif address not in there:
            verdicts.append(Judged(override, left_over=WITH_ENTRY if ADDED in values else GONE))
        else:
            verdicts.append(_judged_value(override, in_code=address in in_code, doubled=doubled, catalogue=extended))
    return verdicts


def _judged_value(override: Override, *, in_code: bool, doubled: bool, catalogue: Catalogue) -> Judged:
    """Check the value of a field of an existing entry."""
    field = KINDS[override.kind].field(override.field)
    if field is None:
        return Judged(override, ("There is no such field.",))
    if field.only_added and in_code:
        if doubled:
            return Judged(override, left_over=ITSELF)
        return Judged(override, (f"{field.label} cannot be changed for built-in entries.",))
    return Judged(
        override, tuple(faults_of_value(field, override.value, address=override.address, catalogue=catalogue))
    )


def with_added(catalogue: Catalogue, overrides: Iterable[Override], *, marked: bool = False) -> Catalogue:
    """Return the catalogue with empty entries for those that administrators added and completed.

    `marked`: with their markers, so that duplicates of these are found.
    """
    given = _by_address(overrides)
    registries: dict[str, Registry[Any]] = {}
    for address, values in given.items():
        entry = added_entry(address) if values.get(ADDED) is True else None
        if entry is None:
            continue
        attribute = REGISTRIES[address.kind]
        registry = registries.get(attribute) or registry_of(catalogue, kind=address.kind)
        if address.name not in registry and not faults_of_entry(address, values, catalogue=catalogue):
            marker = values.get("parse_marker") if marked else None
            marked_entry = with_values(entry, {"parse_marker": marker}) if isinstance(marker, str) else entry
            registries[attribute] = _copy(registry, [*registry, marked_entry])
    return replace(catalogue, **registries)  # type: ignore[arg-type]  # each registry goes where its like was


def _by_address(overrides: Iterable[Override]) -> Values:
    given: Values = defaultdict(dict)
    for override in overrides:
        given[override.address][override.field] = override.value
    return given


def _registry(registry: Registry[Any], *, kind: str, values: Values) -> Registry[Any]:
    """Return the enabled entries with their values, in their order."""
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
