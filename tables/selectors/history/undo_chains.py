"""Chains of undo and redo: changes that undo each other, read in one query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from django.db import connection

from tables.models import Change

CHAIN = """
WITH RECURSIVE earlier (id, undo_of_id) AS (
    SELECT id, undo_of_id FROM tables_change WHERE id = %s
    UNION ALL
    SELECT change.id, change.undo_of_id FROM tables_change AS change JOIN earlier ON change.id = earlier.undo_of_id
), chain (id) AS (
    SELECT id FROM earlier WHERE undo_of_id IS NULL
    UNION ALL
    SELECT change.id FROM tables_change AS change JOIN chain ON change.undo_of_id = chain.id
)
SELECT change.* FROM tables_change AS change JOIN chain ON change.id = chain.id ORDER BY change.version
"""
EARLIER = """
WITH RECURSIVE earlier (id, undo_of_id) AS (
    SELECT id, undo_of_id FROM tables_change WHERE id IN ({})
    UNION
    SELECT change.id, change.undo_of_id FROM tables_change AS change JOIN earlier ON change.id = earlier.undo_of_id
)
SELECT change.* FROM tables_change AS change JOIN earlier ON change.id = earlier.id
"""
LATER = """
WITH RECURSIVE later (start_id, id, version) AS (
    SELECT id, id, version FROM tables_change WHERE id IN ({})
    UNION ALL
    SELECT later.start_id, change.id, change.version
    FROM tables_change AS change JOIN later ON change.undo_of_id = later.id
)
SELECT start_id, COUNT(*) - 1, MAX(version) FROM later GROUP BY start_id
"""
IDS_PER_QUERY = 10_000


class LaterSteps(NamedTuple):
    """The number of undos and redos after a change of a chain, and the version of the last one."""

    steps: int
    last_version: int

    @property
    def are_reversed(self) -> bool:
        """Whether the change has the same effect as before them: a redo reverses an undo."""
        return self.steps % 2 == 0


@dataclass(frozen=True)
class Chain:
    """A change, its undo, the redo of that, and so on, in chronological order."""

    changes: Sequence[Change]

    @property
    def original(self) -> Change:
        """Return the first change of the chain."""
        return self.changes[0]

    @property
    def last(self) -> Change:
        """Return the last undo or redo; the change itself if there is none."""
        return self.changes[-1]

    @property
    def ids(self) -> list[int]:
        return [change.pk for change in self.changes]


def chain_of(change_id: int) -> Chain:
    """Return the chain that a stored change is part of."""
    changes = list(Change.objects.raw(CHAIN, [change_id]))
    for earlier, later in pairwise(changes):
        later.undo_of = earlier
    return Chain(changes)


def later_steps(ids: Sequence[int]) -> dict[int, LaterSteps]:
    """Return the later undos and redos of the changes with these ids, of one page of a list."""
    if not ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(LATER.format(", ".join(["%s"] * len(ids))), list(ids))
        return {start: LaterSteps(steps, version) for start, steps, version in cursor.fetchall()}


def with_earlier(ids: Iterable[int]) -> list[Change]:
    """Return the stored changes with these ids, and those that they undid directly or indirectly."""
    wanted, found = list(ids), dict[int, Change]()
    for start in range(0, len(wanted), IDS_PER_QUERY):
        part = wanted[start : start + IDS_PER_QUERY]
        placeholders = ", ".join(["%s"] * len(part))
        found.update((change.pk, change) for change in Change.objects.raw(EARLIER.format(placeholders), part))
    return list(found.values())
