"""Adding, updating and deleting rows, for interfaces that use rows instead of operations."""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from shared.user_messages import declare
from tables.column_types import TableShape
from tables.exceptions import Fault, TablesError
from tables.operations.plans.data_plan import OVERLAP
from tables.operations.plans.planned import CANNOT_BE_APPLIED, CHANGED_SINCE
from tables.operations.proposals.choice import Origin
from tables.services.pipeline.commit import Applied
from tables.services.rows.direct_changes import (
    Decisions,
    ReadProposal,
    change_rows,
    check_row_proposal,
    read_first_rows,
    read_unlocked,
)

Json = dict[str, Any]
ROWS_CANNOT_BE_WRITTEN = declare(
    "rows_cannot_be_written", "Some rows are not valid; nothing was changed."
)
CELLS_NOT_AS_EXPECTED = declare(
    "cells_not_as_expected", "Some cells do not have the expected value; nothing was changed."
)
ENTRY_OVERLAP = declare(
    "entry_overlap_of_row",
    "Entry {entry} already changes row {row}.",
    for_pages=declare("entry_overlap", "Entry {entry} already changes this row."),
)
# Messages about rows, by the code of the message about operations.
ROW_MESSAGES = {CANNOT_BE_APPLIED.code: ROWS_CANNOT_BE_WRITTEN, CHANGED_SINCE.code: CELLS_NOT_AS_EXPECTED}
# Fields of an operation that have another name in a row.
ROW_FIELDS = {".changes": ".data", ".row_id": ".id", None: ""}
# Only the beginning of a path is translated: the name of a column may follow, and it can contain any of these words.
_OPERATION = re.compile(r"operations(\[[0-9]+\]|)(\.changes|\.row_id)?")


@dataclass(frozen=True)
class RowChanges:
    """Changes of rows as one proposal, with its decisions; not read yet."""

    proposal: Json
    decisions: Decisions


def additions(
    rows: Sequence[Json],
    *,
    typecast: bool = False,
    reason: str = "",
    create_options: bool = False,
    place: Mapping[str, Any] = MappingProxyType({}),
    table_version: int | None = None,
    copied_from: Sequence[int] = (),
) -> RowChanges:
    """Return the changes of `add_rows`. Values of the rows of `copied_from` are valid in the same columns."""
    others = {**place, **_reason_of(reason)}
    operations = [{"action": "add", "data": row, **others} for row in rows]
    decisions = Decisions(
        typecast, create_options=create_options, table_version=table_version, copied_from=copied_from
    )
    return RowChanges({"operations": operations}, decisions)


def updates(
    rows: Sequence[Json],
    *,
    typecast: bool = False,
    reason: str = "",
    on_conflict: str = "",
    create_options: bool = False,
    new_columns: Sequence[Any] = (),
    table_version: int | None = None,
) -> RowChanges:
    """Return the changes of `update_rows`."""
    others = _reason_of(reason)
    operations = [_operation_of(row, others=others) for row in rows]
    decisions = Decisions(typecast, on_conflict, create_options, new_columns, table_version)
    return RowChanges({"operations": operations}, decisions)


def deletions(rows: Sequence[Json], *, reason: str = "", table_version: int | None = None) -> RowChanges:
    """Return the changes that delete rows, each `{"id", "version"?, "expected"?}`."""
    others = _reason_of(reason)
    operations = [_deletion_of(row, others=others) for row in rows]
    return RowChanges({"operations": operations}, Decisions(table_version=table_version))


def add_rows(
    *,
    user: Any,
    table_id: int,
    rows: Sequence[Json],
    origin: Origin,
    typecast: bool = False,
    reason: str = "",
    create_options: bool = False,
    place: Mapping[str, Any] = MappingProxyType({}),
) -> Applied:
    """Add rows (objects of column and value) in this order, at the end or at a `place`.

    `place` contains `after_row_id` or `before_row_id`. `create_options`: a text in a select column that is not an
    option becomes one, as part of the same change.
    """
    changes = additions(rows, typecast=typecast, reason=reason, create_options=create_options, place=place)
    return write_changes(changes, user=user, table_id=table_id, origin=origin)


def update_rows(
    *,
    user: Any,
    table_id: int,
    rows: Sequence[Json],
    origin: Origin,
    typecast: bool = False,
    reason: str = "",
    on_conflict: str = "",
    create_options: bool = False,
    new_columns: Sequence[Any] = (),
) -> Applied:
    """Update cells: each of `rows` is `{"id", "data", "version"?, "expected"?}`; with the id None it is added.

    `create_options` as for `add_rows`, `new_columns` as for `change_rows`. `expected` contains the values that the
    client knows. Raises Conflict if a cell has another value now, even if it is the new one, and Outdated for rows of
    another `version`.
    """
    changes = updates(
        rows, typecast=typecast, reason=reason, on_conflict=on_conflict, create_options=create_options,
        new_columns=new_columns,
    )  # fmt: skip
    return write_changes(changes, user=user, table_id=table_id, origin=origin)


def delete_rows(
    *,
    user: Any,
    table_id: int,
    row_ids: Sequence[int],
    origin: Origin,
    reason: str = "",
) -> Applied:
    """Delete rows."""
    changes = deletions([{"id": row_id} for row_id in row_ids], reason=reason)
    return write_changes(changes, user=user, table_id=table_id, origin=origin)


def read_changes(changes: RowChanges, *, user: Any, table_id: int) -> ReadProposal | None:
    """Read and compose changes of rows without a lock, as `read_unlocked` does."""
    with errors_about_rows():
        return read_unlocked(
            user=user, table_id=table_id, proposal=changes.proposal, decisions=changes.decisions
        )


def check_changes(changes: RowChanges, *, user: Any, table_id: int) -> None:
    """Raise the errors of `write_changes` without writing."""
    with errors_about_rows():
        check_row_proposal(user=user, table_id=table_id, proposal=changes.proposal, decisions=changes.decisions)


def first_rows(rows: Sequence[Any], *, shape: TableShape, typecast: bool) -> Sequence[Json]:
    """Return the cells of `rows` (objects of column and value) for a new table of this shape.

    Raises Malformed or Invalid.
    """
    with errors_about_rows():
        proposal = additions(rows, typecast=typecast).proposal
        return read_first_rows(proposal, shape=shape, typecast=typecast)


def write_changes(
    changes: RowChanges, *, user: Any, table_id: int, origin: Origin, read: ReadProposal | None = None
) -> Applied:
    """Write changes of rows. `read` is the result of `read_changes`."""
    with errors_about_rows():
        return change_rows(
            user=user, table_id=table_id, proposal=changes.proposal, origin=origin, decisions=changes.decisions,
            read=read,
        )  # fmt: skip


@contextmanager
def errors_about_rows() -> Iterator[None]:
    """Translate errors about operations into errors about the rows of the request."""
    try:
        yield
    except TablesError as error:
        template = ROW_MESSAGES.get(error.message.code)
        error.message = template() if template else error.message
        error.faults = tuple(_row_fault(fault) for fault in error.faults)
        raise


def _row_fault(fault: Fault) -> Fault:
    # The request has entries instead of operations.
    message = fault.message
    if message.code == OVERLAP.code:
        message = ENTRY_OVERLAP(entry=message.params["operation"], row=message.params["row"])
    return replace(fault, path=_row_path(fault.path), message=message)


def _row_path(path: str) -> str:
    """Return the path in the request: `operations[3].changes.Due` as `rows[3].data.Due`."""
    found = _OPERATION.match(path)
    return path if found is None else f"rows{found[1]}{ROW_FIELDS[found[2]]}{path[found.end() :]}"


def is_new(row: Mapping[str, Any]) -> bool:
    """Return whether a row of `update_rows` is to be added."""
    return "id" in row and row["id"] is None


def _operation_of(row: Any, *, others: Json) -> Any:
    """Return the operation of a row of `update_rows`, with other fields."""
    if not isinstance(row, dict):
        return row
    if is_new(row):
        return {"action": "add", "data": row.get("data"), **others}
    return _with_known({"action": "update", "row_id": row.get("id"), "changes": row.get("data"), **others}, row=row)


def _deletion_of(row: Any, *, others: Json) -> Any:
    if not isinstance(row, dict):
        return row
    return _with_known({"action": "delete", "row_id": row.get("id"), **others}, row=row)


def _with_known(operation: Json, *, row: Json) -> Json:
    """Add the version and the cells that the client knows of a row."""
    for name in ("version", "expected"):
        if name in row:
            operation[name] = row[name]
    return operation


def _reason_of(reason: str) -> Json:
    return {"reason": reason} if reason else {}
