"""Upserts: rows are found by their keys without a lock, then checked and written under it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction

from shared.db.large_work import lock_large_work_for
from shared.rare_gc import with_rare_gc
from tables.column_types import TableShape
from tables.exceptions import Outdated, TablesError
from tables.models import Table
from tables.operations.body_reader import Form
from tables.operations.plans.schema_additions import with_new_options
from tables.operations.plans.upserts import Key, Merge, plan_merge, read_merge, refuse_unmatched
from tables.operations.proposals.choice import Origin
from tables.operations.proposals.data_proposal import in_order
from tables.selectors import get_table, rows_by_cells, table_shape
from tables.selectors.history.changes import rows_changed_since
from tables.services.pipeline.commit import Applied
from tables.services.pipeline.locking import locked_table, refuse_outdated
from tables.services.pipeline.outdated import beside_others, with_further
from tables.services.pipeline.row_lookup import MAX_RECHECKED_ROWS
from tables.services.rows.direct_changes import (
    ATTEMPTS,
    Decisions,
    ReadProposal,
    change_locked,
    confirmed,
    read_with_rows,
    write_composed,
)
from tables.services.rows.row_proposals import errors_about_rows

Json = dict[str, Any]
Matches = Mapping[Key, Sequence[int]]


@dataclass(frozen=True)
class ReadUpsert:
    """An upsert read against one version of a table, with the rows that matched its keys."""

    version: int
    shape: TableShape
    merge: Merge
    matches: Matches
    targets: Sequence[int | None]
    read: ReadProposal


@with_rare_gc
def read_upsert(
    *,
    user: Any,
    table_id: int,
    merge_on: Any,
    rows: Sequence[Any],
    versions: Sequence[int | None] = (),
    typecast: bool = False,
    create_options: bool = False,
    table_version: int | None = None,
) -> ReadUpsert:
    """Read an upsert and find its rows without a lock. Raises the errors of `upsert_rows`.

    Must run outside of a transaction, because on SQLite every transaction holds the only write lock.
    """
    lock_large_work_for(len(rows))
    versions = versions or [None] * len(rows)
    # The version is read first, so that commits between these queries are detected as later changes.
    table = get_table(user, table_id, can="edit")
    shape, decisions = table_shape(table), Decisions(typecast, create_options=create_options)

    def read() -> ReadUpsert:
        form = Form()
        merge = _merge(merge_on, rows=rows, versions=versions, shape=shape, decisions=decisions, form=form)
        matches = _matches(table, merge, shape=shape)
        targets = _targets(table, rows, merge=merge, matches=matches, shape=shape, decisions=decisions, form=form)
        proposal = _proposal(rows, targets=targets, versions=versions)
        found = _read_rows(table, proposal=proposal, shape=shape, decisions=decisions)
        return ReadUpsert(table.version, shape, merge, matches, targets, found)

    with beside_others(read):
        refuse_outdated(table.version, expected=table_version)
    return read()


@with_rare_gc
def upsert_rows(
    *,
    user: Any,
    table_id: int,
    merge_on: Any,
    rows: Sequence[Any],
    versions: Sequence[int | None] = (),
    origin: Origin,
    typecast: bool = False,
    create_options: bool = False,
    table_version: int | None = None,
    found: ReadUpsert | None = None,
) -> tuple[Applied, list[bool]]:
    """Update the rows with the same values in the columns `merge_on`, add the others.

    Return the result, and for each row whether it was added. A row that is empty in one of these columns is always
    added. `versions` are those of the rows to update as the client knows them, None where it knows none. `found` is the
    result of `read_upsert` for these rows. `create_options`: as for `add_rows`, also in the columns `merge_on`.

    Raises Invalid, having written nothing, when a row would match several, or two of `rows` the same one, and Outdated
    if the table or a row has another version.
    """
    versions = versions or [None] * len(rows)
    reading: Json = {
        "merge_on": merge_on, "rows": rows, "versions": versions, "typecast": typecast,
        "create_options": create_options, "table_version": table_version,
    }  # fmt: skip
    decisions = Decisions(typecast, create_options=create_options)
    writing: Json = {"versions": versions, "user": user, "origin": origin, "decisions": decisions}
    for _ in range(ATTEMPTS):
        found = found or read_upsert(user=user, table_id=table_id, **reading)
        with transaction.atomic():
            table = locked_table(user, table_id)
            refuse_outdated(table.version, expected=table_version)
            shape = table_shape(table)
            targets = _current_targets(table, found, rows=rows, shape=shape, decisions=decisions)
            if targets is not None:
                read = found.read if targets == found.targets else None
                return _write(table, rows, targets=targets, read=read, **writing)
        # The columns or very many rows have changed meanwhile.
        found = None
    with transaction.atomic():
        table = locked_table(user, table_id)
        refuse_outdated(table.version, expected=table_version)
        shape = table_shape(table)
        form = Form()
        merge = _merge(merge_on, rows=rows, versions=versions, shape=shape, decisions=decisions, form=form)
        matches = _matches(table, merge, shape=shape)
        targets = _targets(table, rows, merge=merge, matches=matches, shape=shape, decisions=decisions, form=form)
        return _write(table, rows, targets=targets, **writing)


def _write(
    table: Table,
    rows: Sequence[Any],
    *,
    targets: Sequence[int | None],
    versions: Sequence[int | None],
    user: Any,
    origin: Origin,
    decisions: Decisions,
    read: ReadProposal | None = None,
) -> tuple[Applied, list[bool]]:
    with errors_about_rows():
        composed = confirmed(table, read) if read is not None else None
        if composed is not None:
            applied = write_composed(table, composed, user=user, origin=origin)
        else:
            proposal = _proposal(rows, targets=targets, versions=versions)
            applied = change_locked(table, proposal=proposal, decisions=decisions, user=user, origin=origin)
    return applied, [target is None for target in targets]


def _matches(
    table: Table, merge: Merge, *, shape: TableShape, among: Sequence[int] | None = None
) -> dict[Key, list[int]]:
    keys = [key for key in merge.keys if key is not None]
    return rows_by_cells(table, columns=merge.columns, keys=keys, shape=shape, among=among)


def _merge(
    merge_on: Any,
    *,
    rows: Sequence[Any],
    versions: Sequence[int | None],
    shape: TableShape,
    decisions: Decisions,
    form: Form,
) -> Merge:
    """Return the keys of the rows. Keys with an option that is still to be created match no row."""
    if decisions.create_options:
        # What cannot be an option is reported when the rows are read.
        shape = with_new_options(shape, [{"action": "add", "data": row} for row in rows], form=Form())
    return read_merge(merge_on, rows=rows, versions=versions, shape=shape, typecast=decisions.typecast, form=form)


def _targets(
    table: Table,
    rows: Sequence[Any],
    *,
    merge: Merge,
    matches: Matches,
    shape: TableShape,
    decisions: Decisions,
    form: Form,
) -> list[int | None]:
    """Return the row that each one updates, None for a new row.

    Raises the faults of `form` and of matches, if there are any, with all others of the rows; else Outdated for rows
    whose row was not found, with those that have another version than the client knows.
    """
    targets = plan_merge(merge, matches=matches, form=form)
    if form.faults:
        unclear = {fault.path for fault in form.faults}
        known = [None if f"rows[{n}]" in unclear else version for n, version in enumerate(merge.versions)]
        proposal = _proposal(rows, targets=targets, versions=known)
        try:
            with beside_others(lambda: _read_rows(table, proposal=proposal, shape=shape, decisions=decisions)):
                refuse_unmatched(replace(merge, versions=tuple(known)), matches=matches)
            _read_rows(table, proposal=proposal, shape=shape, decisions=decisions)
        except Outdated as error:
            if not form.is_malformed:
                raise with_further(error, form.faults, more=form.more_faults) from None
            form.add_further(error)
        except TablesError as error:
            form.add_further(error)
        form.faults = in_order(form.faults)
        form.refuse()
    proposal = _proposal(rows, targets=targets, versions=merge.versions)
    with beside_others(lambda: _read_rows(table, proposal=proposal, shape=shape, decisions=decisions)):
        refuse_unmatched(merge, matches=matches)
    return targets


def _read_rows(table: Table, *, proposal: Json, shape: TableShape, decisions: Decisions) -> ReadProposal:
    with errors_about_rows():
        return read_with_rows(table, stored=shape, proposal=proposal, decisions=decisions)


def _current_targets(
    table: Table, found: ReadUpsert, *, rows: Sequence[Any], shape: TableShape, decisions: Decisions
) -> list[int | None] | None:
    """Return the target row of each row in the locked table; None when the targets must be found again.

    Keys are compared again only with the rows that have changed since.
    """
    if shape.columns != found.shape.columns:
        return None
    if table.version == found.version:
        return list(found.targets)
    changed = rows_changed_since(table, found.version, limit=MAX_RECHECKED_ROWS)
    if changed is None:
        return None
    rechecked = _matches(table, found.merge, shape=shape, among=changed) if changed else {}
    moved = set(changed)
    current = {
        key: sorted([*(pk for pk in found.matches.get(key, ()) if pk not in moved), *rechecked.get(key, ())])
        for key in found.matches.keys() | rechecked.keys()
    }
    matches = {key: ids for key, ids in current.items() if ids}
    return _targets(table, rows, merge=found.merge, matches=matches, shape=shape, decisions=decisions, form=Form())


def _proposal(rows: Sequence[Any], *, targets: Sequence[int | None], versions: Sequence[int | None]) -> Json:
    operations: list[Json] = [
        {"action": "add", "data": row} if target is None
        else {"action": "update", "row_id": target, "changes": row, "version": version}
        for target, version, row in zip(targets, versions, rows, strict=True)
    ]  # fmt: skip
    return {"operations": operations}
