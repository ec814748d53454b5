"""Overrides without effect: invalid ones, and those of entries that no longer exist."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from chat.configuration import ADDED, KINDS, Address, Judged, added_entry, in_words, judged, places_of
from chat.configuration import Override as OverrideValue
from chat.models import Override
from chat.selectors.configuration.catalogue import default_catalogue
from chat.selectors.configuration.entries import has_page


@dataclass(frozen=True)
class OrphanedOverride:
    """An override without effect.

    `others` are the other overrides of an added entry, which are deleted with it. `page` says whether the page of the
    entry shows the override, so that it can be corrected there.
    """

    row: Override
    verdict: Judged
    others: tuple[Override, ...] = ()
    page: bool = False

    @property
    def address(self) -> Address:
        """The address of the entry."""
        return self.verdict.override.address

    @property
    def entry(self) -> str:
        """The display name of the entry."""
        return in_words(self.address)

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
        return self.verdict.faults or (self.verdict.left_over,)

    @property
    def broken(self) -> bool:
        """Whether the override is invalid, which the health check reports."""
        return bool(self.verdict.faults)


def orphaned_overrides() -> list[OrphanedOverride]:
    """Return all overrides without effect, invalid ones first, in one query."""
    rows = list(Override.objects.select_related("updated_by").order_by("pk"))
    catalogue = default_catalogue()
    verdicts = judged(catalogue, [OverrideValue(row.kind, row.name, row.field, row.value) for row in rows])
    of_entry: dict[Address, list[Override]] = defaultdict(list)
    for row in rows:
        of_entry[Address(row.kind, row.name)].append(row)
    in_code = set(places_of(catalogue))
    found = list(_found(rows, verdicts=verdicts, of_entry=of_entry, in_code=in_code))
    return sorted(found, key=lambda orphan: not orphan.broken)


def _found(
    rows: list[Override], *, verdicts: list[Judged], of_entry: dict[Address, list[Override]], in_code: set[Address]
) -> Iterator[OrphanedOverride]:
    # An added entry that is invalid is listed once, without its single fields.
    whole = {v.override.address for v in verdicts if v.override.field == ADDED and v.faults}
    for row, verdict in zip(rows, verdicts, strict=True):
        address = verdict.override.address
        if verdict.is_used or (address in whole and row.field != ADDED):
            continue
        siblings = of_entry[address]
        others = tuple(other for other in siblings if other is not row) if address in whole else ()
        made_here = address not in in_code and any(other.field == ADDED for other in siblings)
        exists = address in in_code or (made_here and added_entry(address) is not None and has_page(address))
        yield OrphanedOverride(row, verdict, others, exists and _is_on_page(row, made_here=made_here))


def _is_on_page(row: Override, *, made_here: bool) -> bool:
    """Return whether the page of the entry shows the override."""
    field = KINDS[row.kind].field(row.field)
    return made_here if field is None else made_here or not field.only_added
