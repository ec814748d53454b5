"""Applies a DATA_PROPOSAL that a request contains: rows are found without a lock, then checked and written under it."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import transaction

from tables.column_types import TableShape
from tables.models import Table, new_column_id
from tables.operations.cells import StoredRow
from tables.operations.choice import Choice, Origin
from tables.operations.data_plan import plan_data
from tables.operations.data_proposal import Draft, complete_data_proposal, read_data_proposal
from tables.operations.new_columns import with_new_columns
from tables.operations.new_options import with_new_options
from tables.selectors import get_table, table_shape
from tables.services.applied import Applied
from tables.services.collecting import uncollected
from tables.services.found_rows import (
    Found,
    Matches,
    find_matches,
    locked_found,
    matches_now,
    rows_beside,
    rows_to_change,
)
from tables.services.locking import locked_table
from tables.services.planned_rows import write_plan
from tables.services.today import today_for

Json = dict[str, Any]
# Inspects the operations after they are read and before they are planned; may add what else was expected.
Inspect = Callable[[list[Json], TableShape], None]
# How often a proposal is read without a lock, while others change the table, before it is read under the lock.
ATTEMPTS = 2


@dataclass(frozen=True)
class ReadProposal:
    """A DATA_PROPOSAL read against one version of a table: its operations and the rows they are about."""

    version: int
    shape: TableShape
    drafts: Sequence[Draft]
    words: Json
    matches: Matches
    rows: Mapping[int, StoredRow] = field(default_factory=dict)


@uncollected
def read_unlocked(*, user: Any, table_id: int, proposal: Any, typecast: bool = True) -> ReadProposal | None:
    """Read a proposal and find its rows without a lock; None for one without conditions, whose rows are found by id.

    Belongs outside of a transaction: on SQLite, every transaction holds the lock that all writers need. Raises
    Malformed or Invalid.
    """
    if not _has_conditions(proposal):
        return None
    # The version comes first: what is committed between these statements then counts as changed since.
    table = get_table(user, table_id, can="edit")
    return read_with_rows(table, shape=table_shape(table), proposal=proposal, typecast=typecast)


def read_with_rows(table: Table, *, shape: TableShape, proposal: Any, typecast: bool) -> ReadProposal:
    """Read a proposal with the rows it changes, without a lock. Raises Malformed or Invalid."""
    read = _read(table, shape=shape, proposal=proposal, typecast=typecast)
    return replace(read, rows=rows_to_change(table, read.drafts, matches=read.matches, shape=shape))


@uncollected
def change_rows(
    *,
    user: Any,
    table_id: int,
    proposal: Any,
    origin: Origin,
    typecast: bool = True,
    on_conflict: str = "",
    inspect: Inspect | None = None,
    read: ReadProposal | None = None,
    create_options: bool = False,
    new_columns: Sequence[Any] = (),
) -> Applied:
    """Applies all operations of a DATA_PROPOSAL, as `apply_data` would what `prepare_data` had just stored of it.

    `read` is what `read_unlocked` returned of this proposal. `create_options`: a text in a select column that is not
        an option becomes one, as part of the same change. `new_columns` are names of text columns that are added at the
    end, as part of the same change; the operations may refer to them. Raises, Invalid or Conflict, having written
    nothing.
    """
    context: dict[str, Any] = {"user": user, "origin": origin, "on_conflict": on_conflict, "inspect": inspect}
    for _ in range(0 if create_options or new_columns else ATTEMPTS):
        read = read or read_unlocked(user=user, table_id=table_id, proposal=proposal, typecast=typecast)
        if read is None:
            break
        with transaction.atomic():
            table = locked_table(user, table_id)
            shape = table_shape(table)
            found = _confirmed(read, table=table, shape=shape)
            if found is not None:
                return _write(table, read, found=found, shape=shape, **context)
        # The columns or very many rows have changed meanwhile.
        read = None
    with transaction.atomic():
        table = locked_table(user, table_id)
        shape = table_shape(table)
        if create_options or new_columns:
            context["before"] = shape
            shape = with_new_columns(shape, new_columns, new_id=new_column_id) if new_columns else shape
            shape = with_new_options(shape, proposal["operations"]) if create_options else shape
        return change_locked(table, shape=shape, proposal=proposal, typecast=typecast, **context)


def change_locked(
    table: Table,
    *,
    shape: TableShape,
    proposal: Any,
    user: Any,
    origin: Origin,
    typecast: bool,
    on_conflict: str = "",
    inspect: Inspect | None = None,
    before: TableShape | None = None,
) -> Applied:
    """As `change_rows`, inside the transaction that locked the table.

    `before` is the stored table where `shape` has options or columns that are not stored yet.
    Nothing can change between reading and writing: each row is read once, and what was checked stays checked.
    """
    read = _read(table, shape=shape, proposal=proposal, typecast=typecast)
    found = locked_found(table, read.drafts, shape=shape, matches=read.matches)
    return _write(
        table, read, found=found, shape=shape, user=user, origin=origin, on_conflict=on_conflict, inspect=inspect,
        before=before,
    )  # fmt: skip


def change_read_locked(
    table: Table, read: ReadProposal, *, shape: TableShape, user: Any, origin: Origin
) -> Applied:
    """Apply a proposal without conditions that was read for these columns, inside the transaction that locked the
    table. Only rows that have changed since are read again.
    """
    found = locked_found(table, read.drafts, shape=shape, matches=read.matches, known=read.rows)
    return _write(table, read, found=found, shape=shape, user=user, origin=origin, on_conflict="", inspect=None)


def _has_conditions(proposal: Any) -> bool:
    operations = proposal.get("operations") if isinstance(proposal, dict) else None
    return isinstance(operations, list) and any(isinstance(each, dict) and "where" in each for each in operations)


def _read(table: Table, *, shape: TableShape, proposal: Any, typecast: bool) -> ReadProposal:
    drafts, words = read_data_proposal(proposal, shape=shape, typecast=typecast, today=today_for(proposal))
    matches = find_matches(table, drafts)
    return ReadProposal(version=table.version, shape=shape, drafts=drafts, words=words, matches=matches)


def _confirmed(read: ReadProposal, *, table: Table, shape: TableShape) -> Found | None:
    """The rows of the locked table that the proposal is about; None when it must be read again."""
    if shape.columns != read.shape.columns:
        return None
    matches = matches_now(table, read.drafts, matches=read.matches, version=read.version)
    if matches is None:
        return None
    return locked_found(table, read.drafts, shape=shape, matches=matches, known=read.rows)


def _write(
    table: Table,
    read: ReadProposal,
    *,
    found: Found,
    shape: TableShape,
    user: Any,
    origin: Origin,
    on_conflict: str,
    inspect: Inspect | None,
    before: TableShape | None = None,
) -> Applied:
    completed = complete_data_proposal(
        read.drafts, words=read.words, table_id=table.pk, rows=found.named, matches=found.matches
    )
    if inspect is not None:
        inspect(completed["operations"], shape)
    plan = plan_data(
        shape=shape, operations=completed["operations"], choice=Choice(on_conflict=on_conflict), rows=found.named,
        unchanged=found.unread, beside=rows_beside(table, completed["operations"]), fresh=True,
    )  # fmt: skip
    applied = write_plan(
        table, plan, shape=shape, rows=found.named, user=user, origin=origin, before=before or shape
    )
    return replace(applied, warnings=completed["warnings"])
