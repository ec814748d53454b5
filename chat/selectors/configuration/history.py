"""History of the configuration: which administrator changed which field, when and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chat.configuration import ADDED, KINDS, Address, difference, entries_by_address, values_of
from chat.models import ConfigurationChange
from chat.selectors.configuration.catalogue import default_catalogue
from chat.selectors.configuration.names import entry_title

Json = dict[str, Any]

PAGE_SIZE = 50


@dataclass(frozen=True)
class ChangeView:
    """A change to a field, with display names and the differences as lines."""

    change: ConfigurationChange
    entry: str
    field: str
    lines: list[tuple[str, str]]

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
    """Return at most `limit` changes of one entry or of all, older than the change id `before`, in one query.

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
    defaults = {
        known: values_of(entry.entry, position=entry.position)
        for known, entry in entries_by_address(default_catalogue()).items()
    }
    views = [_view(change, defaults=defaults) for change in changes[:limit]]
    return HistoryPage(views, changes[limit - 1].pk if len(changes) > limit else None)


def latest_changes(address: Address, *, since: int) -> dict[str, ConfigurationChange]:
    """Return the latest change of each field of the entry after a version, by name of the field."""
    found = ConfigurationChange.objects.filter(kind=address.kind, name=address.name, version__gt=since)
    return {change.field: change for change in found.select_related("user").order_by("version", "pk")}


def _view(change: ConfigurationChange, *, defaults: dict[Address, Json]) -> ChangeView:
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
    return ChangeView(change, entry_title(address), label, lines)
