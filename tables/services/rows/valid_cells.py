"""Pastes: the valid cells of many rows are written as one change, the others are returned.

Thus a single invalid value does not prevent the others from being written. `row_proposals` writes the rows.
"""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from shared.user_messages import declare
from tables.column_types import ColumnSpec, TableShape, get_column_type
from tables.exceptions import Conflict, Fault, Invalid, Malformed, Outdated, TablesError
from tables.operations.body_reader import MAX_FAULTS, Form
from tables.operations.cells import VALUE_REQUIRED, Cells, read_cells
from tables.operations.proposals.choice import Origin
from tables.selectors import get_table, table_shape
from tables.services.pipeline.commit import Applied
from tables.services.rows.direct_changes import ReadProposal
from tables.services.rows.row_proposals import (
    RowChanges,
    additions,
    check_changes,
    is_new,
    read_changes,
    updates,
    write_changes,
)

Json = dict[str, Any]
NOTHING_FITS = declare("nothing_fits", "None of these values is valid; nothing was changed.")
ROW = re.compile(r"^rows\[(\d+)\]")


@dataclass(frozen=True)
class ValidRows:
    """Rows with their valid cells, their positions in the request, and one fault for each other cell.

    `not_added` has the positions of the new rows that cannot be added.
    """

    rows: list[Json] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    refused: list[Fault] = field(default_factory=list)
    not_added: list[int] = field(default_factory=list)

    @property
    def refused_of_not_added(self) -> int:
        """Return the number of faults in rows that cannot be added."""
        positions = {f"rows[{position}]" for position in self.not_added}
        return sum(1 for fault in self.refused if fault.path.partition(".")[0] in positions)


@dataclass(frozen=True)
class ReadValidRows:
    """The rows of a request with their valid cells, read and composed without a lock."""

    valid: ValidRows
    changes: RowChanges
    read: ReadProposal | None


def read_valid_updates(
    *,
    user: Any,
    table_id: int,
    rows: Sequence[Json],
    typecast: bool,
    table_version: int | None = None,
    form: Form | None = None,
) -> ReadValidRows:
    """Read the rows that `update_valid_cells` writes. Raises its errors.

    `form` has faults of the request, which are raised with all others.
    """
    shape, form = table_shape(get_table(user, table_id, can="edit")), Form() if form is None else form
    valid = _valid_updates(rows, shape=shape, typecast=typecast, form=form)
    changes = updates(valid.rows, typecast=typecast, table_version=table_version)
    return _read(valid, changes, user=user, table_id=table_id, form=form)


def update_valid_cells(
    *,
    user: Any,
    table_id: int,
    rows: Sequence[Json],
    origin: Origin,
    typecast: bool,
    table_version: int | None = None,
    read: ReadValidRows | None = None,
) -> tuple[Applied, ValidRows]:
    """Update the valid cells of `rows`, as `update_rows` does, and add rows without an id.

    `read` is the result of `read_valid_updates` for these rows. Raises Malformed for a malformed request, Invalid if no
    value is valid, and Conflict as `update_rows` does.
    """
    read = read or read_valid_updates(
        user=user, table_id=table_id, rows=rows, typecast=typecast, table_version=table_version
    )
    return _write(read, user=user, table_id=table_id, origin=origin)


def read_valid_additions(
    *,
    user: Any,
    table_id: int,
    rows: Sequence[Json],
    typecast: bool,
    place: Mapping[str, Any],
    table_version: int | None = None,
    form: Form | None = None,
) -> ReadValidRows:
    """Read the rows that `add_valid_rows` writes. Raises its errors.

    `form` has faults of the request, which are raised with all others.
    """
    shape, form = table_shape(get_table(user, table_id, can="edit")), Form() if form is None else form
    valid = _valid_additions(rows, shape=shape, typecast=typecast, form=form)
    changes = additions(valid.rows, typecast=typecast, place=place, table_version=table_version)
    return _read(valid, changes, user=user, table_id=table_id, form=form)


def add_valid_rows(
    *,
    user: Any,
    table_id: int,
    rows: Sequence[Json],
    origin: Origin,
    typecast: bool,
    place: Mapping[str, Any],
    table_version: int | None = None,
    read: ReadValidRows | None = None,
) -> tuple[Applied, ValidRows]:
    """Add `rows` (objects of column and value) with their valid cells, except those that lack a value.

    They are added at the end or at a `place`, as by `add_rows`. `read` is the result of `read_valid_additions` for
    these rows. Raises Malformed for a malformed request, and Invalid if no row can be added.
    """
    read = read or read_valid_additions(
        user=user, table_id=table_id, rows=rows, typecast=typecast, place=place, table_version=table_version
    )
    return _write(read, user=user, table_id=table_id, origin=origin)


def _read(valid: ValidRows, changes: RowChanges, *, user: Any, table_id: int, form: Form) -> ReadValidRows:
    if form.faults:
        try:
            with _positions_as_sent(valid):
                if valid.rows:
                    check_changes(changes, user=user, table_id=table_id)
        except (Malformed, Invalid, Conflict, Outdated) as error:
            form.add_further(error)
        form.refuse()
    with _positions_as_sent(valid):
        return ReadValidRows(valid, changes, read_changes(changes, user=user, table_id=table_id))


def _write(rows: ReadValidRows, *, user: Any, table_id: int, origin: Origin) -> tuple[Applied, ValidRows]:
    with _positions_as_sent(rows.valid):
        applied = write_changes(rows.changes, user=user, table_id=table_id, origin=origin, read=rows.read)
    return applied, rows.valid


def _valid_updates(rows: Sequence[Json], *, shape: TableShape, typecast: bool, form: Form) -> ValidRows:
    """Return the rows with their valid cells. Faults that are not of values are added to `form`."""
    valid, required = ValidRows(), _required_columns(shape)
    for position, row in enumerate(rows):
        if is_new(row):
            data = _valid_addition(
                row.get("data"), position, required=required, shape=shape, typecast=typecast, valid=valid, form=form
            )
            if data is not None:
                valid.rows.append({**row, "data": data})
                valid.positions.append(position)
            continue
        path = f"rows[{position}].data"
        cells = read_cells(row.get("data"), shape=shape, path=path, typecast=typecast, form=form)
        for column in shape.columns:
            if column.required and column.id in cells.values and cells.values[column.id] is None:
                _refuse_empty(cells, column=column, path=path, ref=_ref(row["data"], column=column, shape=shape))
        valid.refused.extend(_faults(cells))
        if not cells.faults:
            valid.rows.append(row)
        elif cells.values:
            valid.rows.append({**row, **_valid_objects(row, cells=cells, shape=shape)})
        else:
            continue
        valid.positions.append(position)
    return valid


def _valid_additions(rows: Sequence[Json], *, shape: TableShape, typecast: bool, form: Form) -> ValidRows:
    """Return the rows with their valid cells. Faults that are not of values are added to `form`."""
    valid, required = ValidRows(), _required_columns(shape)
    for position, row in enumerate(rows):
        data = _valid_addition(row, position, required=required, shape=shape, typecast=typecast, valid=valid, form=form)
        if data is not None:
            valid.rows.append(data)
            valid.positions.append(position)
    return valid


def _required_columns(shape: TableShape) -> list[ColumnSpec]:
    """Return the columns in which new rows must have a value."""
    return [
        column for column in shape.columns
        if column.required and column.default is None and get_column_type(column.type).registered
    ]  # fmt: skip


def _valid_addition(
    data: Any,
    position: int,
    *,
    required: Sequence[ColumnSpec],
    shape: TableShape,
    typecast: bool,
    valid: ValidRows,
    form: Form,
) -> Any:
    """Return the valid cells of a new row; None if it cannot be added. Its faults are added to `valid`."""
    path = f"rows[{position}].data"
    cells = read_cells(data, shape=shape, path=path, typecast=typecast, form=form)
    faulted = {fault["column"] for fault in cells.faults}
    missing = [column for column in required if cells.values.get(column.id) is None]
    for column in missing:
        if column.id not in faulted:
            _refuse_empty(cells, column=column, path=path, ref=_ref(data, column=column, shape=shape))
    valid.refused.extend(_faults(cells))
    if missing or (cells.faults and not cells.values):
        valid.not_added.append(position)
        return None
    return _valid_objects({"data": data}, cells=cells, shape=shape)["data"] if cells.faults else data


def _refuse_empty(cells: Cells, *, column: ColumnSpec, path: str, ref: str) -> None:
    cells.values.pop(column.id, None)
    fault = Fault(f"{path}.{ref}", "required", message=VALUE_REQUIRED(column=column.name))
    cells.faults.append({**fault.as_json(), "column": column.id})


def _ref(data: Any, *, column: ColumnSpec, shape: TableShape) -> str:
    """Return the key of the column in these cells: its name or id; its name if it is missing."""
    sent = data if isinstance(data, dict) else {}
    return next((ref for ref in sent if (found := shape.column(ref)) and found.id == column.id), column.name)


def _valid_objects(row: Json, *, cells: Cells, shape: TableShape) -> Json:
    """Return the objects of a row keyed by column, as sent, without the columns with invalid values."""
    refused = {fault["column"] for fault in cells.faults}

    def fits(ref: Any) -> bool:
        column = shape.column(ref)
        return column is None or column.id not in refused

    objects = {key: row[key] for key in ("data", "expected") if isinstance(row.get(key), dict)}
    return {key: {ref: value for ref, value in cells.items() if fits(ref)} for key, cells in objects.items()}


def _faults(cells: Cells) -> list[Fault]:
    return [Fault.from_json(fault) for fault in cells.faults]


@contextmanager
def _positions_as_sent(valid: ValidRows) -> Iterator[None]:
    """Translate errors to the positions in the request; raise Invalid if no row is left."""
    if not valid.rows and valid.refused:
        raise Invalid(NOTHING_FITS(), faults=valid.refused, most=MAX_FAULTS)

    def sent(found: re.Match[str]) -> str:
        return f"rows[{valid.positions[int(found[1])]}]"

    try:
        yield
    except TablesError as error:
        error.faults = tuple(replace(fault, path=ROW.sub(sent, fault.path)) for fault in error.faults)
        raise
