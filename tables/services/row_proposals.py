"""Adds, changes and deletes rows for doors that speak of rows, not proposals; underneath it is one proposal each."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction

from tables.column_types import TableShape
from tables.exceptions import TablesError
from tables.operations.cells import read_cells
from tables.operations.choice import Choice, Origin
from tables.operations.form import Form
from tables.operations.merging import plan_merge, read_merge
from tables.selectors import get_table, rows_by_cells, table_shape
from tables.services.applied import Applied
from tables.services.collecting import uncollected
from tables.services.data_proposals import apply_data, prepare_data
from tables.services.locking import locked_table, refuse_outdated

Json = dict[str, Any]


def add_rows(
    *, user: Any, table_id: int, rows: Sequence[Json], origin: Origin, typecast: bool = False, reason: str = ""
) -> Applied:
    """Adds rows (objects of column and value) at the end, in this order."""
    operations = [_with_reason({"action": "add", "data": row}, reason=reason) for row in rows]
    return _apply(user=user, table_id=table_id, operations=operations, origin=origin, typecast=typecast)


def update_rows(
    *,
    user: Any,
    table_id: int,
    rows: Sequence[Json],
    origin: Origin,
    typecast: bool = False,
    reason: str = "",
    on_conflict: str = "",
    version: int | None = None,
) -> Applied:
    """Changes cells: each of `rows` is `{"id", "data", "expected"?}`.

    `expected` holds what the writer saw in cells; if one holds something else now, be it what is to be written, that
    is a Conflict. Rows of another `version` are Outdated, whatever they hold.
    """
    operations = [
        _with_reason({"action": "update", "row_id": row.get("id"), "changes": row.get("data")}, reason=reason)
        for row in rows
    ]
    expected = [row.get("expected") or {} for row in rows]
    return _apply(
        user=user, table_id=table_id, operations=operations, origin=origin, typecast=typecast, expected=expected,
        on_conflict=on_conflict, version=version,
    )  # fmt: skip


def delete_rows(
    *,
    user: Any,
    table_id: int,
    row_ids: Sequence[int],
    origin: Origin,
    reason: str = "",
    version: int | None = None,
) -> Applied:
    """Deletes rows; those of another `version` are Outdated."""
    operations = [_with_reason({"action": "delete", "row_id": row_id}, reason=reason) for row_id in row_ids]
    return _apply(
        user=user, table_id=table_id, operations=operations, origin=origin, typecast=True, version=version
    )


def upsert_rows(
    *, user: Any, table_id: int, merge_on: Any, rows: Sequence[Any], origin: Origin, typecast: bool = False
) -> tuple[Applied, list[bool]]:
    """Changes the rows that hold the same values in the columns of `merge_on`, adds the others; for each whether added.

    A row that is empty in one of these columns is always added. Raises Invalid, having written nothing, when a row
    would match several, or two of `rows` the same one.
    """
    with transaction.atomic():
        table = locked_table(user, table_id)
        shape = table_shape(table)
        merge = read_merge(merge_on, rows=rows, shape=shape, typecast=typecast)
        keys = [key for key in merge.keys if key is not None]
        targets = plan_merge(merge, matches=rows_by_cells(table, columns=merge.columns, keys=keys, shape=shape))
        operations: list[Json] = [
            {"action": "add", "data": row} if target is None
            else {"action": "update", "row_id": target, "changes": row}
            for target, row in zip(targets, rows, strict=True)
        ]  # fmt: skip
        applied = _apply(user=user, table_id=table_id, operations=operations, origin=origin, typecast=typecast)
        return applied, [target is None for target in targets]


@uncollected
def change_rows(
    *, user: Any, table_id: int, proposal: Any, choice: Choice, origin: Origin, typecast: bool = True
) -> Applied:
    """Prepares and applies a DATA_PROPOSAL under one lock: nothing can change between the two."""
    with transaction.atomic():
        locked_table(user, table_id)
        prepared = prepare_data(user=user, table_id=table_id, proposal=proposal, typecast=typecast)
        return apply_data(user=user, prepared=prepared, choice=choice, origin=origin)


@uncollected
def _apply(
    *,
    user: Any,
    table_id: int,
    operations: list[Json],
    origin: Origin,
    typecast: bool,
    expected: Sequence[Json] = (),
    on_conflict: str = "",
    version: int | None = None,
) -> Applied:
    """Prepares and applies under one lock, so that only what a writer `expected` can be a conflict."""
    with transaction.atomic():
        locked_table(user, table_id)
        try:
            prepared = prepare_data(
                user=user, table_id=table_id, proposal={"operations": operations}, typecast=typecast
            )
            for operation in prepared["operations"]:
                refuse_outdated(operation.get("row_version"), looked_at=version)
            _expect(prepared, expected=expected, shape=table_shape(get_table(user, table_id)))
            return apply_data(user=user, prepared=prepared, choice=Choice(on_conflict=on_conflict), origin=origin)
        except TablesError as error:
            error.faults = tuple(replace(fault, path=_row_path(fault.path)) for fault in error.faults)
            raise


def _expect(prepared: Json, *, expected: Sequence[Json], shape: TableShape) -> None:
    form = Form()
    for index, cells in enumerate(expected):
        if cells:
            path = f"rows[{index}].expected"
            read = read_cells(cells, shape=shape, path=path, typecast=True, form=form)
            for fault in read.faults:
                form.fault(path=fault["path"], code=fault["code"], detail=fault["detail"], value=fault.get("value"))
            prepared["operations"][index]["before"] |= read.values
            # Two who count on from 5 both write 6: the second has not seen the first one's, and must hear of it.
            prepared["operations"][index]["exact"] = True
    form.refuse()


def _row_path(path: str) -> str:
    """`operations[3].changes.Due` as `rows[3].data.Due`: the words of the door."""
    if not path.startswith("operations"):
        return path
    return path.replace("operations", "rows", 1).replace("].changes", "].data", 1).replace("].row_id", "].id", 1)


def _with_reason(operation: Json, *, reason: str) -> Json:
    return {**operation, "reason": reason} if reason else operation
