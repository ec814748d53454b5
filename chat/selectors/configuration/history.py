"""History of the configuration: which administrator changed which field, when and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chat.configuration import ADDED, KINDS, Address, difference, entries_by_address, values_of
from chat.models import ConfigurationChange
from chat.selectors.configuration.catalogue import default_catalogue, stored_overrides
from chat.selectors.configuration.names import entry_title

Json = dict[str, Any]
# The versions that deleted entries, in order.
Deletions = dict[Address, list[int]]

PAGE_SIZE = 50


@dataclass(frozen=True)
class ChangeView:
    """A change to a field, with display names and the differences as lines."""

    change: ConfigurationChange
    entry: str
    field: str
    lines: list[tuple[str, str]]
    # Whether the entry exists now, and whether the value that the change set is the current one.
    exists: bool
    is_current: bool
    # Whether the change belongs to an entry that administrators added, which has no default in the code.
    of_added: bool
    # The version that deleted the entry, None if it exists or was removed from the code.
    deleted_in: int | None
    # Whether the same version deleted the entry.
    is_of_deletion: bool

    @property
    def is_entry(self) -> bool:
        """Whether the entry itself was added or deleted."""
        return self.change.field == ADDED


@dataclass(frozen=True)
class HistoryPage:
    """Changes, newest first; `older` is the value of `before` for the next page, None on the last."""

    changes: Sequence[ChangeView]
    older: int | None


def change_history(
    address: Address | None = None, *, before: int | None = None, version: int | None = None, limit: int = PAGE_SIZE
) -> HistoryPage:
    """Return at most `limit` changes of one entry or of all, older than the change id `before`, in constant queries.

    With `version`, those of this version only.
    """
    found = ConfigurationChange.objects.select_related("user").order_by("-pk")
    if address is not None:
        found = found.filter(kind=address.kind, name=address.name)
    if before is not None:
        found = found.filter(pk__lt=before)
    if version is not None:
        found = found.filter(version=version)
    changes = list(found[: limit + 1])
    current = current_values()
    deletions = _deletions(changes[:limit])
    defaults = {
        known: values_of(entry.entry, position=entry.position)
        for known, entry in entries_by_address(default_catalogue()).items()
    }
    views = [_view(change, defaults=defaults, current=current, deletions=deletions) for change in changes[:limit]]
    return HistoryPage(views, changes[limit - 1].pk if len(changes) > limit else None)


def latest_changes(address: Address, *, since: int) -> dict[str, ConfigurationChange]:
    """Return the latest change of each field of the entry after a version, by name of the field."""
    found = ConfigurationChange.objects.filter(kind=address.kind, name=address.name, version__gt=since)
    return {change.field: change for change in found.select_related("user").order_by("version", "pk")}


def current_values() -> dict[tuple[Address, str], Any]:
    """Return the value of each override by entry and field."""
    return {(override.address, override.field): override.value for override in stored_overrides()}


def _deletions(changes: Sequence[ConfigurationChange]) -> Deletions:
    """Return the versions that deleted the entries of these changes."""
    names = {change.name for change in changes} - {address.name for address in entries_by_address(default_catalogue())}
    deletions: Deletions = {}
    if names:
        found = ConfigurationChange.objects.filter(field=ADDED, after__isnull=True, name__in=names).order_by("pk")
        for kind, name, version in found.values_list("kind", "name", "version"):
            deletions.setdefault(Address(kind, name), []).append(version)
    return deletions


def _view(
    change: ConfigurationChange,
    *,
    defaults: dict[Address, Json],
    current: Mapping[tuple[Address, str], Any],
    deletions: Deletions,
) -> ChangeView:
    address = Address(change.kind, change.name)
    default = defaults.get(address, {}).get(change.field)
    before = default if change.before is None else change.before["value"]
    after = default if change.after is None else change.after["value"]
    lines = [] if change.field == ADDED else difference(before, after)
    kind = KINDS.get(change.kind)
    field = kind.field(change.field) if kind else None
    if change.field == ADDED:
        label = "Added" if change.after is not None else "Deleted"
    else:
        label = field.label if field else change.field
    exists = address in defaults or (address, ADDED) in current
    stored = (address, change.field) in current
    is_current = stored is (change.after is not None)
    if stored and change.after is not None:
        is_current = current[address, change.field] == change.after["value"]
    return ChangeView(
        change,
        entry_title(address),
        label,
        lines,
        exists=exists,
        is_current=is_current,
        of_added=kind is not None and kind.addable and address not in defaults,
        deleted_in=deletions[address][-1] if address in deletions and not exists else None,
        is_of_deletion=change.version in deletions.get(address, ()),
    )
