"""Find the rows that operations refer to, by id or by condition, and read only the needed cells."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from shared.db.large_work import LARGE_ROWS, lock_large_work, lock_large_work_for
from shared.user_messages import declare, declare_plural
from tables.column_types import TableShape
from tables.exceptions import Fault, Invalid
from tables.models import Row, Table
from tables.operations.cells import RowState, StoredRow
from tables.operations.plans.data_plan import anchor_row_ids
from tables.operations.proposals.data_proposal import MAX_OPERATIONS, Draft
from tables.operations.queries.filters import Filter
from tables.selectors import rows_by_id
from tables.selectors.history.changes import rows_changed_since
from tables.selectors.rows.costs import refuse_costly
from tables.selectors.rows.matches import Position, match_counts, positions_of_matches
from tables.selectors.sql.conditions import among_ids
from tables.services.pipeline.locking import (
    IDS_PER_QUERY,
    locked_rows,
    locked_versions,
    stored_rows,
    stored_versions,
    without_deleted,
)

MATCHING_ROWS = declare_plural("matching_rows", "This matches 1 row.", "This matches {count:,} rows.")
TOO_MANY_CHANGES = declare(
    "too_many_changes", "A proposal can contain at most {limit:,} changes; this one would have {count:,}."
)

Json = dict[str, Any]
# The rows that each condition matches, in order.
Matches = Mapping[Filter, Sequence[Position]]
NO_CELLS: Mapping[str, Any] = MappingProxyType({})
# Above this number of rows changed since, evaluating conditions again would hold the lock for too long.
MAX_RECHECKED_ROWS = 2_000


@dataclass
class FoundRows:
    """Rows of operations: `named` by id, and `matches[i]` of the condition of draft i, in order.

    `unread`: ids of rows that are only deleted, whose cells were therefore not read.
    """

    named: Mapping[int, StoredRow]
    matches: Mapping[int, Sequence[StoredRow]] = field(default_factory=dict)
    unread: Collection[int] = ()


def find_matches(table: Table, drafts: Sequence[Draft]) -> Matches:
    """Return the rows that the conditions match.

    Acquires the lock for large work if drafts are about many rows. Raises LargeWorkBusy, and Invalid when conditions
    cost too much or match too many rows.
    """
    conditional = [draft for draft in drafts if draft.where is not None]
    filters = _filters(drafts)
    lock_large_work_for(len(drafts) - len(conditional))
    if not filters:
        return {}
    refuse_costly(table, filters, path=f"{conditional[0].path}.where" if len(conditional) == 1 else "operations")
    found = positions_of_matches(table, filters, limit=LARGE_ROWS + 1)
    if _operations(drafts, matches=found) <= LARGE_ROWS:
        return found
    lock_large_work()
    max_matches = MAX_OPERATIONS - (len(drafts) - len(conditional))
    found = positions_of_matches(table, filters, limit=max_matches + 1)
    if _operations(drafts, matches=found) > MAX_OPERATIONS:
        raise _too_many(drafts, numbers=match_counts(table, filters))
    return found


def current_matches(table: Table, drafts: Sequence[Draft], *, matches: Matches, version: int) -> Matches | None:
    """Return the rows of a locked table that conditions match now, given earlier `matches`.

    Conditions are evaluated again only for rows that have changed since. None if these are too many to do so under a
    lock. Raises Invalid when more rows match than operations are allowed.
    """
    if not matches or table.version == version:
        return matches
    changed = rows_changed_since(table, version, limit=MAX_RECHECKED_ROWS)
    if changed is None:
        return None
    rechecked = positions_of_matches(table, matches.keys(), limit=len(changed), among=changed) if changed else {}
    moved = set(changed)
    current = {
        each: sorted([*(position for position in found if position[1] not in moved), *rechecked.get(each, ())])
        for each, found in matches.items()
    }
    if _operations(drafts, matches=current) > MAX_OPERATIONS:
        raise _too_many(drafts, numbers={each: len(found) for each, found in current.items()})
    return current


def anchor_rows(table: Table, operations: Sequence[Json]) -> set[int]:
    """Return the rows next to which operations insert new ones, deleted ones included."""
    ids = sorted(anchor_row_ids(operations))
    found: set[int] = set()
    for start in range(0, len(ids), IDS_PER_QUERY):
        rows = Row.objects.filter(among_ids(ids[start : start + IDS_PER_QUERY]), table_id=table.pk)
        found.update(rows.values_list("pk", flat=True))
    return found


def find_rows(table: Table, drafts: Sequence[Draft], *, shape: TableShape) -> FoundRows:
    """Return the current rows, without locks.

    Raises Invalid when conditions cost too much or match too many.
    """
    matches = find_matches(table, drafts)
    ids = _ids(drafts, matches=matches)
    rows = rows_by_id(table, (pk for each in ids for pk in each), shape=shape, with_computed=False)
    return _found(drafts, ids=ids, rows=rows, unread=())


def read_changed_rows(
    table: Table, drafts: Sequence[Draft], *, matches: Matches, shape: TableShape
) -> dict[int, StoredRow]:
    """Return the current rows whose cells are needed: all except those that are only deleted."""
    ids = _ids(drafts, matches=matches)
    changed = (pk for draft, found in zip(drafts, ids, strict=True) if draft.reads_cells for pk in found)
    return dict(rows_by_id(table, changed, shape=shape, with_computed=False))


def find_rows_unlocked(
    table: Table, drafts: Sequence[Draft], *, matches: Matches, known: Mapping[int, StoredRow]
) -> FoundRows:
    """Return the rows without locks: those of `read_changed_rows`, and versions of rows to be deleted."""
    ids = _ids(drafts, matches=matches)
    every = {pk for found in ids for pk in found}
    changed = {pk for draft, found in zip(drafts, ids, strict=True) if draft.reads_cells for pk in found}
    versions = stored_versions(table, every - changed)
    rows = {**known, **{pk: RowState(pk, version, NO_CELLS) for pk, version in versions.items()}}
    return _found(drafts, ids=ids, rows=rows, unread=versions.keys())


def find_rows_locked(
    table: Table,
    drafts: Sequence[Draft],
    *,
    shape: TableShape,
    matches: Matches,
    known: Mapping[int, StoredRow] = MappingProxyType({}),
) -> FoundRows:
    """Return the rows of a locked table, locked in order of id. Unchanged `known` rows are not read again."""
    ids = _ids(drafts, matches=matches)
    changed: set[int] = set()
    deleted: set[int] = set()
    for draft, found in zip(drafts, ids, strict=True):
        (changed if draft.reads_cells else deleted).update(found)
    unread = deleted - changed
    versions = locked_versions(table, unread | (changed & known.keys()))
    rows: dict[int, StoredRow] = {
        key: RowState(key, version, NO_CELLS) if key in unread else known[key]
        for key, version in versions.items()
        if key in unread or known[key].version == version
    }
    unread &= rows.keys()
    rows |= without_deleted(locked_rows(table, changed - rows.keys(), shape=shape))
    return _found(drafts, ids=ids, rows=rows, unread=unread)


def split_unchanged_rows(
    table: Table, operations: Sequence[Json], *, shape: TableShape, lock: bool
) -> tuple[dict[int, RowState], dict[int, int]]:
    """Return the live rows of stored operations, and versions of those that are unchanged.

    `lock`: lock them in order of id. A row to delete that still has its stored version is not read, because no cell can
    have changed. With another version, or with expected cells, its cells are compared.
    """
    versions_now, rows_now = (locked_versions, locked_rows) if lock else (stored_versions, stored_rows)
    versions = {each["row_id"]: each["row_version"] for each in operations if each["action"] == "delete"}
    changed = {each["row_id"] for each in operations if each["action"] == "update" or "expected" in each}
    now = versions_now(table, versions.keys() - changed)
    unchanged = {key: version for key, version in now.items() if version == versions[key]}
    return without_deleted(rows_now(table, changed | (now.keys() - unchanged.keys()), shape=shape)), unchanged


def _found(
    drafts: Sequence[Draft],
    *,
    ids: Sequence[Sequence[int]],
    rows: Mapping[int, StoredRow],
    unread: Collection[int],
) -> FoundRows:
    matched = {n: [rows[pk] for pk in found if pk in rows] for n, found in enumerate(ids) if drafts[n].where}
    return FoundRows(named=rows, matches=matched, unread=unread)


def _filters(drafts: Iterable[Draft]) -> list[Filter]:
    """Return the distinct conditions."""
    return list(dict.fromkeys(draft.where for draft in drafts if draft.where is not None))


def _ids(drafts: Sequence[Draft], *, matches: Matches) -> list[list[int]]:
    """Return for each draft the ids of the rows it names or matches."""
    return [
        ([draft.row_id] if draft.row_id else []) if draft.where is None else [pk for _, pk in matches[draft.where]]
        for draft in drafts
    ]


def _operations(drafts: Iterable[Draft], *, matches: Matches) -> int:
    return sum(1 if draft.where is None else len(matches[draft.where]) for draft in drafts)


def _too_many(drafts: Sequence[Draft], *, numbers: Mapping[Filter, int]) -> Invalid:
    counts = {draft.path: numbers[draft.where] for draft in drafts if draft.where is not None}
    total = len(drafts) - len(counts) + sum(counts.values())
    faults = tuple(
        Fault(path=f"{path}.where", code="too_many", message=MATCHING_ROWS(count=count))
        for path, count in counts.items()
    )
    message = TOO_MANY_CHANGES(limit=MAX_OPERATIONS, count=total)
    return Invalid(message, code="too_many", faults=faults[:100])
