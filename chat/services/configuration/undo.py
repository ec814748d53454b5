"""Undo of the changes of a version, and deletion of added entries with all that refers to them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Any

from chat.configuration import ADDED, KINDS, Address, faults_of_value, with_added
from chat.configuration.entries import REGISTRIES
from chat.exceptions import NotFound, Settled
from chat.models import ConfigurationChange
from chat.selectors.configuration.catalogue import default_catalogue, stored_overrides
from chat.selectors.configuration.history import current_values
from chat.services.configuration.changes import (
    NO_SUCH_FIELD_CHANGE,
    RESET,
    Edit,
    change_configuration,
    overrides_after,
    usable_edits,
)
from shared.user_messages import declare

CHANGED_SINCE_UNDO = declare(
    "configuration_changed_since", "“{field}” was changed again after version {version}. Restore single values instead."
)


def edits_to_undo(version: int, *, address: Address | None = None) -> list[Edit]:
    """Return the edits that undo the changes of a version, or only those of one entry and of pages that selected it.

    A subtab is restored with its tab if both were deleted and the tab does not exist again. Fields that were changed
    again since then make `change_configuration` raise Settled.
    """
    changes = list(ConfigurationChange.objects.filter(version=version).order_by("pk"))
    values = _values_before(changes, address=address, current=current_values())
    return usable_edits([Edit(of, fields, seen=version) for of, fields in values.items()])


def undone_versions(
    versions: Collection[int], *, current: Mapping[tuple[Address, str], Any], address: Address | None = None
) -> set[int]:
    """Return those of these versions whose undo would change nothing, in one query. See `edits_to_undo`.

    `current` are the `current_values`.
    """
    changes: dict[int, list[ConfigurationChange]] = {version: [] for version in versions}
    for change in ConfigurationChange.objects.filter(version__in=versions).order_by("pk"):
        changes[change.version].append(change)
    return {
        version
        for version, of_version in changes.items()
        if all(
            current.get((of, field), RESET) == value
            for of, fields in _values_before(of_version, address=address, current=current).items()
            for field, value in fields.items()
        )
    }


def current_versions(versions: Collection[int], *, current: Mapping[tuple[Address, str], Any]) -> set[int]:
    """Return those of these versions with the same values as now, in one query: restoring them would change nothing.

    `current` are the `current_values`.
    """
    different: set[tuple[Address, str]] = set()
    found: set[int] = set()
    later = ConfigurationChange.objects.filter(version__gte=min(versions, default=0)).order_by("-version", "-pk")
    for version, changes in groupby(later, key=lambda change: change.version):
        if version in versions and not different:
            found.add(version)
        for change in changes:
            of = (Address(change.kind, change.name), change.field)
            before = RESET if change.before is None else change.before["value"]
            (different.discard if current.get(of, RESET) == before else different.add)(of)
    return found


def _values_before(
    changes: Sequence[ConfigurationChange], *, address: Address | None, current: Mapping[tuple[Address, str], Any]
) -> dict[Address, dict[str, Any]]:
    """Return the values before these changes of one version, or before those that belong to one entry."""
    values: dict[Address, dict[str, Any]] = {}
    tab = _deleted_tab(address, changes=changes, current=current)
    for change in changes:
        if address is not None and not _belongs_to(change, address) and (change.kind, change.name) != tab:
            continue
        before = RESET if change.before is None else change.before["value"]
        # The first change of a field has its value before the version.
        values.setdefault(Address(change.kind, change.name), {}).setdefault(change.field, before)
    return values


def edits_to_delete(address: Address, *, seen: int | None) -> list[Edit]:
    """Return the edits that delete an added entry: its values, those of its subtabs, and where pages select it.

    Pages whose selection would be invalid without it for another reason are left as they are.
    """
    stored = stored_overrides()
    within = f"{address.name}/"
    values: dict[Address, dict[str, Any]] = {}
    for override in stored:
        is_part = address.kind == "tab" and override.kind == "subtab" and override.name.startswith(within)
        if override.address == address or is_part:
            values.setdefault(override.address, {})[override.field] = RESET
    edits = [Edit(of, fields, seen=seen) for of, fields in values.items()]
    catalogue = with_added(default_catalogue(), overrides_after(edits), marked=True)
    registry = REGISTRIES.get(address.kind)
    for override in stored:
        kind = KINDS.get(override.kind)
        listing = kind.field(override.field) if kind else None
        if registry is None or listing is None or listing.of != registry or not isinstance(override.value, list):
            continue
        remaining = [name for name in override.value if name != address.name]
        valid = not faults_of_value(listing, remaining, address=override.address, catalogue=catalogue)
        if remaining != override.value and valid:
            edits.append(Edit(override.address, {override.field: remaining}, seen=seen))
    return edits


def undo_version(
    *,
    user: Any,
    version: int,
    address: Address | None = None,
    why: str = "",
    shown: int | None = None,
    now: datetime,
) -> int:
    """Undo a version, or its changes of one entry, and return the version that is current then.

    Raises NotFound, the errors of `change_configuration`, and without `shown`, the version that was confirmed, Settled
    if a field was changed again since the version that is undone.
    """
    edits = edits_to_undo(version, address=address)
    if not edits:
        raise NotFound(NO_SUCH_FIELD_CHANGE())
    if shown is not None:
        # The confirmation page showed the later changes, and `shown` detects newer ones.
        edits = [replace(edit, seen=None) for edit in edits]
    else:
        changed = _changed_since(version, edits=edits)
        if changed is not None:
            raise Settled(CHANGED_SINCE_UNDO(field=_label(changed), version=version), code="changed_meanwhile")
    return change_configuration(user=user, edits=edits, why=why or f"Undid version {version}", shown=shown, now=now)


def undo_is_destructive(version: int, *, edits: Sequence[Edit]) -> bool:
    """Return whether these edits do more than restore the values before a version.

    They do if they delete an entry, replace later changes, or reset a value that is no longer valid.
    """
    if any(edit.values.get(ADDED) is RESET for edit in edits) or _changed_since(version, edits=edits):
        return True
    resets = {(*edit.address, name) for edit in edits for name, value in edit.values.items() if value is RESET}
    changes = ConfigurationChange.objects.filter(version=version).order_by("-pk")
    before = {(change.kind, change.name, change.field): change.before for change in changes}
    return any(before[field] is not None for field in resets)


def _deleted_tab(
    address: Address | None, *, changes: Sequence[ConfigurationChange], current: Mapping[tuple[Address, str], Any]
) -> Address | None:
    """Return the tab of a subtab if these changes deleted it, and it does not exist again."""
    if address is None or address.kind != "subtab":
        return None
    tab = Address("tab", address.name.rpartition("/")[0])
    was_deleted = any(
        (change.kind, change.name, change.field) == (*tab, ADDED) and change.after is None for change in changes
    )
    return tab if was_deleted and (tab, ADDED) not in current else None


def _belongs_to(change: ConfigurationChange, address: Address) -> bool:
    """Return whether the change is one of the entry, of its subtabs, or deselected it."""
    if (change.kind, change.name) == address:
        return True
    if address.kind == "tab" and change.kind == "subtab":
        return change.name.startswith(f"{address.name}/")
    kind = KINDS.get(change.kind)
    field = kind.field(change.field) if kind else None
    if field is None or not field.of or field.of != REGISTRIES.get(address.kind):
        return False
    before = change.before["value"] if change.before is not None else None
    return isinstance(before, list) and address.name in before


def _changed_since(version: int, *, edits: Iterable[Edit]) -> ConfigurationChange | None:
    """Return a later change of one of the fields."""
    fields = {(*edit.address, name) for edit in edits for name in edit.values}
    later = ConfigurationChange.objects.filter(version__gt=version).order_by("-pk")
    return next((change for change in later if (change.kind, change.name, change.field) in fields), None)


def _label(change: ConfigurationChange) -> str:
    kind = KINDS.get(change.kind)
    field = kind.field(change.field) if kind else None
    return field.label if field else change.field
