"""Fetches the rows that operations speak of, by id or by condition, and of each no more than is needed."""
from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from tables.column_types import TableShape
from tables.exceptions import Fault, Invalid
from tables.models import Table
from tables.operations.cells import RowState, StoredRow
from tables.operations.data_proposal import MOST_OPERATIONS, Draft
from tables.selectors import count_rows, read_rows, rows_by_id
from tables.selectors.rows import ids_of_rows
from tables.services.locking import live_rows, locked_rows, locked_versions

Json = dict[str, Any]
NO_CELLS: Mapping[str, Any] = MappingProxyType({})


@dataclass
class Found:
    """`named`: the rows asked for by id; `matches[i]`: what the condition of draft i found, in order of position.

    `unread`: ids of rows that are only deleted, whose cells were therefore not read.
    """

    named: Mapping[int, StoredRow]
    matches: Mapping[int, Sequence[StoredRow]] = field(default_factory=dict)
    unread: Collection[int] = ()

    @property
    def rows(self) -> dict[int, StoredRow]:
        """All of them by id."""
        return {**self.named, **{row.id: row for rows in self.matches.values() for row in rows}}


def found_rows(table: Table, drafts: Sequence[Draft], *, shape: TableShape) -> Found:
    """The rows as they are now, without locks. Raises Invalid when conditions match too many."""
    named = rows_by_id(table, [draft.row_id for draft in drafts if draft.row_id], shape=shape)
    _refuse_too_many(table, drafts, shape=shape)
    matches = {
        number: read_rows(table, shape=shape, filter=draft.where, limit=MOST_OPERATIONS)
        for number, draft in _conditions(drafts)
    }
    return Found(named=named, matches=matches)


def locked_found(table: Table, drafts: Sequence[Draft], *, shape: TableShape) -> Found:
    """The rows of a locked table, locked in order of id. Raises Invalid when conditions match too many."""
    found: dict[int, list[int]] = {}
    room = MOST_OPERATIONS - sum(draft.where is None for draft in drafts)
    for number, draft in _conditions(drafts):
        found[number] = ids_of_rows(table, filter=draft.where, limit=room + 1)
        room -= len(found[number])
        if room < 0:
            _refuse_too_many(table, drafts, shape=shape)
    changed: set[int] = set()
    deleted: set[int] = set()
    for number, draft in enumerate(drafts):
        ids = found.get(number, [draft.row_id] if draft.row_id else [])
        (deleted if draft.action == "delete" else changed).update(ids)
    versions = locked_versions(table, deleted - changed)
    unread = {key: RowState(key, version, NO_CELLS) for key, version in versions.items()}
    rows = unread | live_rows(locked_rows(table, changed, shape=shape))
    matches = {number: [rows[key] for key in ids] for number, ids in found.items()}
    return Found(named=rows, matches=matches, unread=unread.keys())


def locked_as_stored(
    table: Table, operations: Sequence[Json], *, shape: TableShape
) -> tuple[dict[int, RowState], set[int]]:
    """The live rows of stored operations, locked in order of id; and the ids of those that are known to be as they
    were, which are not among the rows.

    A row to delete that has its version of then is not read: the version says that no cell changed. Of another
    version nothing follows, and its cells are compared.
    """
    versions = {each["row_id"]: each["row_version"] for each in operations if each["action"] == "delete"}
    changed = {each["row_id"] for each in operations if each["action"] == "update"}
    now = locked_versions(table, versions.keys() - changed)
    unchanged = {key for key, version in now.items() if version == versions[key]}
    return live_rows(locked_rows(table, changed | (now.keys() - unchanged), shape=shape)), unchanged


def _conditions(drafts: Sequence[Draft]) -> Iterator[tuple[int, Draft]]:
    return ((number, draft) for number, draft in enumerate(drafts) if draft.where is not None)


def _refuse_too_many(table: Table, drafts: Sequence[Draft], *, shape: TableShape) -> None:
    counts = {number: count_rows(table, shape=shape, filter=draft.where) for number, draft in _conditions(drafts)}
    together = len(drafts) - len(counts) + sum(counts.values())
    if together > MOST_OPERATIONS:
        faults = tuple(
            Fault(path=f"{drafts[number].path}.where", code="too_many", detail=f"This matches {count:,} rows.")
            for number, count in counts.items()
        )
        detail = f"A proposal can hold at most {MOST_OPERATIONS:,} operations; this one would have {together:,}."
        raise Invalid(detail, code="too_many", faults=faults[:100])
