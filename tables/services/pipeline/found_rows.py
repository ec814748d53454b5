"""Fetches the rows that operations speak of, by id or by condition, and of each no more than is needed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from shared.db.large_work import LARGE_ROWS, take_turn, take_turn_for_rows
from shared.user_messages import declare, declare_plural
from tables.column_types import TableShape
from tables.exceptions import Fault, Invalid
from tables.models import Row, Table
from tables.operations.cells import RowState, StoredRow
from tables.operations.data_plan import anchor_row_ids
from tables.operations.data_proposal import MAX_OPERATIONS, Draft
from tables.operations.filters import Filter
from tables.selectors import rows_by_id
from tables.selectors.changes import rows_changed_since
from tables.selectors.conditions import among_ids
from tables.selectors.costs import refuse_costly
from tables.selectors.row_matches import Position, match_counts, positions_of_matches
from tables.services.pipeline.locking import (
    IDS_AT_ONCE,
    live_rows,
    locked_rows,
    locked_versions,
    stored_rows,
    stored_versions,
)

MATCHING_ROWS = declare_plural("matching_rows", "This matches 1 row.", "This matches {count:,} rows.")
TOO_MANY_CHANGES = declare(
    "too_many_changes", "A proposal can hold at most {limit:,} changes; this one would have {count:,}."
)

Json = dict[str, Any]
# For each condition the rows it matches, in order.
Matches = Mapping[Filter, Sequence[Position]]
NO_CELLS: Mapping[str, Any] = MappingProxyType({})
# When more rows have changed since conditions were evaluated, evaluating them again would hold the lock for too long.
MAX_EVALUATED_AGAIN = 2_000


@dataclass
class Found:
    """`named`: the rows by id; `matches[i]`: the rows that the condition of draft i matches, in order of position.

    `unread`: ids of rows that are only deleted, whose cells were therefore not read.
    """

    named: Mapping[int, StoredRow]
    matches: Mapping[int, Sequence[StoredRow]] = field(default_factory=dict)
    unread: Collection[int] = ()


def find_matches(table: Table, drafts: Sequence[Draft]) -> Matches:
    """The rows that the conditions match. Raises Invalid when conditions cost too much or match too many rows.

    Takes the turn for large work if drafts are about many rows. Raises TurnNeeded.
    """
    conditional = [draft for draft in drafts if draft.where is not None]
    filters = _filters(drafts)
    take_turn_for_rows(len(drafts) - len(conditional))
    if not filters:
        return {}
    refuse_costly(table, filters, path=f"{conditional[0].path}.where" if len(conditional) == 1 else "operations")
    found = positions_of_matches(table, filters, limit=LARGE_ROWS + 1)
    if _operations(drafts, matches=found) <= LARGE_ROWS:
        return found
    take_turn()
    room = MAX_OPERATIONS - (len(drafts) - len(conditional))
    found = positions_of_matches(table, filters, limit=room + 1)
    if _operations(drafts, matches=found) > MAX_OPERATIONS:
        raise _too_many(drafts, numbers=match_counts(table, filters))
    return found


def matches_now(table: Table, drafts: Sequence[Draft], *, matches: Matches, version: int) -> Matches | None:
    """The rows of a locked table that conditions match which matched these rows at an earlier version.

    Conditions are evaluated again for rows that have changed since, and for no others. None when those are too many
    to do so under a lock. Raises Invalid when more rows match than operations are allowed.
    """
    if not matches or table.version == version:
        return matches
    changed = rows_changed_since(table, version, limit=MAX_EVALUATED_AGAIN)
    if changed is None:
        return None
    again = positions_of_matches(table, matches.keys(), limit=len(changed), among=changed) if changed else {}
    moved = set(changed)
    current = {
        each: sorted([*(position for position in found if position[1] not in moved), *again.get(each, ())])
        for each, found in matches.items()
    }
    if _operations(drafts, matches=current) > MAX_OPERATIONS:
        raise _too_many(drafts, numbers={each: len(found) for each, found in current.items()})
    return current


def rows_beside(table: Table, operations: Sequence[Json]) -> set[int]:
    """The rows that operations put new ones beside, as far as they are of this table; deleted ones included."""
    ids = sorted(anchor_row_ids(operations))
    found: set[int] = set()
    for start in range(0, len(ids), IDS_AT_ONCE):
        rows = Row.objects.filter(among_ids(ids[start : start + IDS_AT_ONCE]), table_id=table.pk)
        found.update(rows.values_list("pk", flat=True))
    return found


def found_rows(table: Table, drafts: Sequence[Draft], *, shape: TableShape) -> Found:
    """The rows as they are now, without locks. Raises Invalid when conditions cost too much or match too many."""
    matches = find_matches(table, drafts)
    ids = _ids(drafts, matches=matches)
    rows = rows_by_id(table, (pk for each in ids for pk in each), shape=shape)
    return _found(drafts, ids=ids, rows=rows, unread=())


def rows_to_change(
    table: Table, drafts: Sequence[Draft], *, matches: Matches, shape: TableShape
) -> dict[int, StoredRow]:
    """The rows as they are now whose cells are read: all but those that are only deleted."""
    ids = _ids(drafts, matches=matches)
    changed = (pk for draft, found in zip(drafts, ids, strict=True) if draft.action != "delete" for pk in found)
    return dict(rows_by_id(table, changed, shape=shape))


def unlocked_found(
    table: Table, drafts: Sequence[Draft], *, matches: Matches, known: Mapping[int, StoredRow]
) -> Found:
    """Return the rows without locks: those of `rows_to_change`, and of those that are only deleted the versions."""
    ids = _ids(drafts, matches=matches)
    every = {pk for found in ids for pk in found}
    changed = {pk for draft, found in zip(drafts, ids, strict=True) if draft.action != "delete" for pk in found}
    versions = stored_versions(table, every - changed)
    rows = {**known, **{pk: RowState(pk, version, NO_CELLS) for pk, version in versions.items()}}
    return _found(drafts, ids=ids, rows=rows, unread=versions.keys())


def locked_found(
    table: Table,
    drafts: Sequence[Draft],
    *,
    shape: TableShape,
    matches: Matches,
    known: Mapping[int, StoredRow] = MappingProxyType({}),
) -> Found:
    """The rows of a locked table, locked in order of id. Rows that have the version of a `known` one are not read."""
    ids = _ids(drafts, matches=matches)
    changed: set[int] = set()
    deleted: set[int] = set()
    for draft, found in zip(drafts, ids, strict=True):
        (deleted if draft.action == "delete" else changed).update(found)
    unread = deleted - changed
    versions = locked_versions(table, unread | (changed & known.keys()))
    rows: dict[int, StoredRow] = {
        key: RowState(key, version, NO_CELLS) if key in unread else known[key]
        for key, version in versions.items()
        if key in unread or known[key].version == version
    }
    unread &= rows.keys()
    rows |= live_rows(locked_rows(table, changed - rows.keys(), shape=shape))
    return _found(drafts, ids=ids, rows=rows, unread=unread)


def compared_with_stored(
    table: Table, operations: Sequence[Json], *, shape: TableShape, lock: bool
) -> tuple[dict[int, RowState], dict[int, int]]:
    """The live rows of stored operations, with `lock` locked in order of id; and the versions of those that are known
    to be as they were, which are not among the rows.

    A row to delete that has its version of then is not read: the version says that no cell changed. Of another
    version nothing follows, and its cells are compared.
    """
    versions_now, rows_now = (locked_versions, locked_rows) if lock else (stored_versions, stored_rows)
    versions = {each["row_id"]: each["row_version"] for each in operations if each["action"] == "delete"}
    changed = {each["row_id"] for each in operations if each["action"] == "update"}
    now = versions_now(table, versions.keys() - changed)
    unchanged = {key: version for key, version in now.items() if version == versions[key]}
    return live_rows(rows_now(table, changed | (now.keys() - unchanged.keys()), shape=shape)), unchanged


def _found(
    drafts: Sequence[Draft],
    *,
    ids: Sequence[Sequence[int]],
    rows: Mapping[int, StoredRow],
    unread: Collection[int],
) -> Found:
    matched = {n: [rows[pk] for pk in found if pk in rows] for n, found in enumerate(ids) if drafts[n].where}
    return Found(named=rows, matches=matched, unread=unread)


def _filters(drafts: Iterable[Draft]) -> list[Filter]:
    """The conditions, equal ones once."""
    return list(dict.fromkeys(draft.where for draft in drafts if draft.where is not None))


def _ids(drafts: Sequence[Draft], *, matches: Matches) -> list[list[int]]:
    """Of each draft the ids of the rows it names or matches."""
    return [
        ([draft.row_id] if draft.row_id else []) if draft.where is None else [pk for _, pk in matches[draft.where]]
        for draft in drafts
    ]


def _operations(drafts: Iterable[Draft], *, matches: Matches) -> int:
    return sum(1 if draft.where is None else len(matches[draft.where]) for draft in drafts)


def _too_many(drafts: Sequence[Draft], *, numbers: Mapping[Filter, int]) -> Invalid:
    counts = {draft.path: numbers[draft.where] for draft in drafts if draft.where is not None}
    together = len(drafts) - len(counts) + sum(counts.values())
    faults = tuple(
        Fault(path=f"{path}.where", code="too_many", message=MATCHING_ROWS(count=count))
        for path, count in counts.items()
    )
    message = TOO_MANY_CHANGES(limit=MAX_OPERATIONS, count=together)
    return Invalid(message, code="too_many", faults=faults[:100])
