"""Overrides without effect: invalid ones, and those of entries that no longer exist."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from chat.configuration import (
    ADDED,
    KINDS,
    Address,
    CheckedOverride,
    added_entry,
    check_overrides,
    entries_by_address,
)
from chat.configuration import Override as OverrideValue
from chat.models import Override
from chat.selectors.configuration.catalogue import default_catalogue
from chat.selectors.configuration.entries import has_page
from chat.selectors.configuration.names import entry_title


@dataclass(frozen=True)
class OrphanedOverride:
    """An override without effect.

    `others` are the other overrides of an added entry, which are deleted with it. `page` is whether the page of the
    entry shows the override, so that it can be corrected there.
    """

    row: Override
    checked: CheckedOverride
    others: tuple[Override, ...] = ()
    page: bool = False

    @property
    def address(self) -> Address:
        """The address of the entry."""
        return self.checked.override.address

    @property
    def entry(self) -> str:
        """The display name of the entry."""
        return entry_title(self.address)

    @property
    def field(self) -> str:
        """The display name of the field; "Whole entry" for the marker of an added entry."""
        if self.row.field == ADDED:
            return "Whole entry"
        kind = KINDS.get(self.row.kind)
        field = kind.field(self.row.field) if kind else None
        return field.label if field else self.row.field

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the override has no effect."""
        return self.checked.faults or (self.checked.unused_reason,)

    @property
    def broken(self) -> bool:
        """Whether the override is invalid, which the health check reports."""
        return bool(self.checked.faults)


def orphaned_overrides() -> list[OrphanedOverride]:
    """Return all overrides without effect, invalid ones first, in one query."""
    rows = list(Override.objects.select_related("updated_by").order_by("pk"))
    catalogue = default_catalogue()
    results = check_overrides(catalogue, [OverrideValue(row.kind, row.name, row.field, row.value) for row in rows])
    of_entry: dict[Address, list[Override]] = defaultdict(list)
    for row in rows:
        of_entry[Address(row.kind, row.name)].append(row)
    in_code = set(entries_by_address(catalogue))
    found = list(_found(rows, results=results, of_entry=of_entry, in_code=in_code))
    return sorted(found, key=lambda orphan: not orphan.broken)


def _found(
    rows: list[Override],
    *,
    results: list[CheckedOverride],
    of_entry: dict[Address, list[Override]],
    in_code: set[Address],
) -> Iterator[OrphanedOverride]:
    # An added entry that is invalid is listed once, without its single fields.
    whole = {each.override.address for each in results if each.override.field == ADDED and each.faults}
    for row, checked in zip(rows, results, strict=True):
        address = checked.override.address
        if checked.is_used or (address in whole and row.field != ADDED):
            continue
        siblings = of_entry[address]
        others = tuple(other for other in siblings if other is not row) if address in whole else ()
        is_added = address not in in_code and any(other.field == ADDED for other in siblings)
        exists = address in in_code or (is_added and added_entry(address) is not None and has_page(address))
        yield OrphanedOverride(row, checked, others, exists and _is_on_page(row, is_added=is_added))


def _is_on_page(row: Override, *, is_added: bool) -> bool:
    """Return whether the page of the entry shows the override."""
    field = KINDS[row.kind].field(row.field)
    return is_added if field is None else is_added or not field.only_added
