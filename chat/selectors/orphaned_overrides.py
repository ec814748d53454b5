"""Reads which overrides come to nothing: broken ones, and those left over from entries that are gone."""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from chat.configuration import ADDED, KINDS, Address, Judged, added_entry, in_words, judged, places_of
from chat.configuration import Override as OverrideValue
from chat.models import Override
from chat.overrides import default_catalogue
from chat.selectors.configuration import has_page


@dataclass(frozen=True)
class Leftover:
    """One override that comes to nothing. `others` are those of the same entry, made here, that go with it; `page` says
    whether it stands on the page of its entry, where it can be mended."""

    row: Override
    verdict: Judged
    others: tuple[Override, ...] = ()
    page: bool = False

    @property
    def address(self) -> Address:
        """Of the entry."""
        return self.verdict.override.address

    @property
    def entry(self) -> str:
        """What the entry is called."""
        return in_words(self.address)

    @property
    def field(self) -> str:
        """What the field is called; of the mark that an entry was made here by, all of the entry."""
        if self.row.field == ADDED:
            return "All of it"
        kind = KINDS.get(self.row.kind)
        field = kind.field(self.row.field) if kind else None
        return field.label if field else self.row.field

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it comes to nothing."""
        return self.verdict.faults or (self.verdict.left_over,)

    @property
    def broken(self) -> bool:
        """Whether health is said to be degraded because of it."""
        return bool(self.verdict.faults)


def leftovers() -> list[Leftover]:
    """Those there are, broken ones first; one query."""
    rows = list(Override.objects.select_related("updated_by").order_by("pk"))
    catalogue = default_catalogue()
    verdicts = judged(catalogue, [OverrideValue(row.kind, row.name, row.field, row.value) for row in rows])
    of_entry: dict[Address, list[Override]] = defaultdict(list)
    for row in rows:
        of_entry[Address(row.kind, row.name)].append(row)
    in_code = set(places_of(catalogue))
    found = list(_found(rows, verdicts=verdicts, of_entry=of_entry, in_code=in_code))
    return sorted(found, key=lambda leftover: not leftover.broken)


def _found(
    rows: list[Override], *, verdicts: list[Judged], of_entry: dict[Address, list[Override]], in_code: set[Address]
) -> Iterator[Leftover]:
    # What goes with an entry that was made here and cannot be used is not told beside it.
    whole = {v.override.address for v in verdicts if v.override.field == ADDED and v.faults}
    for row, verdict in zip(rows, verdicts, strict=True):
        address = verdict.override.address
        if verdict.is_used or (address in whole and row.field != ADDED):
            continue
        siblings = of_entry[address]
        others = tuple(other for other in siblings if other is not row) if address in whole else ()
        made_here = address not in in_code and any(other.field == ADDED for other in siblings)
        there = address in in_code or (made_here and added_entry(address) is not None and has_page(address))
        yield Leftover(row, verdict, others, there and _stands_there(row, made_here=made_here))


def _stands_there(row: Override, *, made_here: bool) -> bool:
    """Whether the page of its entry shows it."""
    field = KINDS[row.kind].field(row.field)
    return made_here if field is None else made_here or not field.only_added
