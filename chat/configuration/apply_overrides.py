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
    with_added_tab,
    with_tabs,
    with_values,
)
from chat.configuration.fields import ADDED, KINDS
from chat.configuration.validation import faults_of_entry, faults_of_limits, faults_of_value
from chat.registry import Registry

Values = dict[Address, dict[str, Any]]

# Why a valid override has no effect.
ENTRY_REMOVED = "This entry no longer exists."
ENTRY_BUILT_IN = "This entry is now built in."
ENTRY_INVALID = "The added entry is invalid."


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
class CheckedOverride:
    """An override with its faults.

    `unused_reason` is why a valid override has no effect, for instance because an upgrade removed its entry.
    """

    override: Override
    faults: tuple[str, ...] = ()
    unused_reason: str = ""

    @property
    def is_used(self) -> bool:
        """Whether it takes effect."""
        return not self.faults and not self.unused_reason

    @property
    def fault_texts(self) -> tuple[str, ...]:
        """Return each fault with the address of the entry."""
        kind, name, field = self.override.kind, self.override.name, self.override.field
        path = f"{kind} {name}" if field == ADDED else f"{kind} {name}, {field}"
        return tuple(f"{path}: {fault}" for fault in self.faults)


def overridden(catalogue: Catalogue, overrides: Iterable[Override], *, version: int) -> Catalogue:
    """Return the catalogue with these overrides; its `faults` describe those that are ignored."""
    overrides = list(overrides)
    results = check_overrides(catalogue, overrides)
    catalogue = with_added(catalogue, overrides)
    values: Values = defaultdict(dict)
    for checked in results:
        if checked.is_used and checked.override.field != ADDED:
            values[checked.override.address][checked.override.field] = checked.override.value
    changes: dict[str, Any] = {
        kind: with_values(getattr(catalogue, attribute), values.get(Address(kind, "all"), {}))
        for kind, attribute in SINGLE.items()
    }
    changes["engine"] = catalogue.engine.with_values(values.get(Address("engine", "all"), {}))
    for kind, attribute in REGISTRIES.items():
        changes[attribute] = _registry(registry_of(catalogue, kind=kind), kind=kind, values=values)
    placed = frozenset(address.kind for address, fields in values.items() if "order" in fields)
    faults = tuple(fault for checked in results for fault in checked.fault_texts)
    return replace(catalogue, **changes, version=version, faults=faults, placed=placed)


def check_overrides(catalogue: Catalogue, overrides: Iterable[Override]) -> list[CheckedOverride]:
    """Check each override together with the others, in their order; `catalogue` is that of the code."""
    overrides = list(overrides)
    given = _by_address(overrides)
    in_code = {address for address, _ in entries_of(catalogue)}
    extended = with_added(catalogue, overrides, marked=True)
    known = {address for address, _ in entries_of(extended)}
    results = []
    for override in overrides:
        address, values = override.address, given[override.address]
        doubled = ADDED in values and address in in_code
        if override.kind not in KINDS:
            results.append(CheckedOverride(override, ("There is no such kind of entry.",)))
        elif override.field == ADDED:
            faults = () if doubled else tuple(faults_of_entry(address, values, catalogue=extended))
            if not faults and override.value is not True:
                faults = (f"The value of {ADDED!r} must be true.",)
            results.append(CheckedOverride(override, faults, ENTRY_BUILT_IN if doubled else ""))
        elif address not in known:
            reason = ENTRY_INVALID if ADDED in values else ENTRY_REMOVED
            results.append(CheckedOverride(override, unused_reason=reason))
        else:
            results.append(_check_value(override, in_code=address in in_code, doubled=doubled, catalogue=extended))
    return _with_limit_faults(results, catalogue=catalogue)


def _with_limit_faults(results: list[CheckedOverride], *, catalogue: Catalogue) -> list[CheckedOverride]:
    """Return the results, with the faults of limits that contradict each other."""
    given = {each.override.field: each.override.value for each in results if _is_limit(each) and each.is_used}
    faults = faults_of_limits(catalogue.engine, given)
    return [
        replace(each, faults=(faults[each.override.field],))
        if _is_limit(each) and each.is_used and each.override.field in faults
        else each
        for each in results
    ]


def _is_limit(checked: CheckedOverride) -> bool:
    return checked.override.address == Address("engine", "all")


def _check_value(override: Override, *, in_code: bool, doubled: bool, catalogue: Catalogue) -> CheckedOverride:
    """Check the value of a field of an existing entry."""
    field = KINDS[override.kind].field(override.field)
    if field is None:
        return CheckedOverride(override, ("There is no such field.",))
    if field.only_added and in_code:
        if doubled:
            return CheckedOverride(override, unused_reason=ENTRY_BUILT_IN)
        return CheckedOverride(override, (f"{field.label} cannot be changed for built-in entries.",))
    return CheckedOverride(
        override, tuple(faults_of_value(field, override.value, address=override.address, catalogue=catalogue))
    )


def with_added(catalogue: Catalogue, overrides: Iterable[Override], *, marked: bool = False) -> Catalogue:
    """Return the catalogue with empty entries for those that administrators added and completed.

    `marked`: with their markers, so that duplicates of these are found.
    """
    given = _by_address(overrides)
    registries: dict[str, Registry[Any]] = {}
    # Tabs before their subtabs.
    for address, values in sorted(given.items(), key=lambda item: item[0].kind == "subtab"):
        entry = added_entry(address) if values.get(ADDED) is True else None
        if entry is None:
            continue
        if address.kind in {"tab", "subtab"}:
            pages = registries.get("pages") or catalogue.pages
            if not faults_of_entry(address, values, catalogue=replace(catalogue, pages=pages)):
                registries["pages"] = with_added_tab(pages, address)
            continue
        attribute = REGISTRIES[address.kind]
        registry = registries.get(attribute) or registry_of(catalogue, kind=address.kind)
        if address.name not in registry and not faults_of_entry(address, values, catalogue=catalogue):
            marker = values.get("parse_marker") if marked else None
            marked_entry = with_values(entry, {"parse_marker": marker}) if isinstance(marker, str) else entry
            registries[attribute] = _copy(registry, [*registry, marked_entry])
    return replace(catalogue, **registries)  # type: ignore[arg-type]  # each registry replaces one of the same type


def _by_address(overrides: Iterable[Override]) -> Values:
    given: Values = defaultdict(dict)
    for override in overrides:
        given[override.address][override.field] = override.value
    return given


def _registry(registry: Registry[Any], *, kind: str, values: Values) -> Registry[Any]:
    """Return the enabled entries with their values, in their order."""
    positioned = []
    for position, entry in enumerate(registry):
        given = values.get(Address(kind, entry.name), {})
        changed = with_values(entry, given)
        if kind == "page":
            changed = with_tabs(changed, values)
        if given.get("enabled", True):
            positioned.append((given.get("order", position), position, changed))
    positioned.sort(key=lambda item: item[:2])
    return _copy(registry, [entry for _, _, entry in positioned])


def _copy(registry: Registry[Any], entries: Iterable[Any]) -> Registry[Any]:
    copy: Registry[Any] = Registry(registry.kind)
    for entry in entries:
        copy.register(entry)
    return copy
