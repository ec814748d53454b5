"""Read the cells of one row: names to column ids, values to stored values, with all faults."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from shared.user_messages import declare, message_fields
from tables.column_types import ColumnSpec, TableShape, ValueFault, get_column_type
from tables.column_types.faults import shown
from tables.operations.body_reader import Form, short

Json = dict[str, Any]

NOT_CELLS = declare("not_cells", "This must be an object of columns and values.")
DOUBLED_COLUMN = declare("doubled_column", "“{column}” is named twice.")
VALUE_REQUIRED = declare("value_required", "{column} must have a value.")
UNKNOWN_COLUMN = declare("unknown_column", "There is no column “{column}”.{hint}")
NO_SUCH_ROW = declare("unknown_row", "There is no such row in this table.")
UNKNOWN_ROW = declare("unknown_row_id", "There is no row {id} in this table.", for_pages=NO_SUCH_ROW)


class StoredRow(Protocol):
    """A row of the table."""

    @property
    def id(self) -> int: ...
    @property
    def version(self) -> int: ...
    @property
    def data(self) -> Mapping[str, Any]: ...


class RowState(NamedTuple):
    """The current values of a row, which may be deleted."""

    id: int
    version: int
    data: Mapping[str, Any]
    deleted: bool = False


@dataclass(slots=True)
class Cells:
    """Cells of one row by column id (None: no value), with notes of casts and faults of unreadable values."""

    values: Json = field(default_factory=dict)
    casts: list[Json] = field(default_factory=list)
    faults: list[Json] = field(default_factory=list)


def read_cells(raw: Any, *, shape: TableShape, path: str, typecast: bool, form: Form) -> Cells:
    """Read the cells of an object keyed by column id or name.

    An unknown column and one named twice are faults of the form; a value that does not fit is a fault of the row.
    """
    cells = Cells()
    if not isinstance(raw, dict):
        form.fault(path=path, code="not_an_object", message=NOT_CELLS(), value=raw)
        return cells
    for ref, value in raw.items():
        where = f"{path}.{ref}"
        column = resolve_column(ref, shape=shape, path=where, form=form)
        if column is None:
            continue
        if column.id in cells.values or any(fault["column"] == column.id for fault in cells.faults):
            form.fault(path=where, code="doubled_column", message=DOUBLED_COLUMN(column=column.name))
            continue
        _read_cell(value, column=column, path=where, typecast=typecast, cells=cells)
    return cells


def resolve_column(ref: Any, *, shape: TableShape, path: str, form: Form) -> ColumnSpec | None:
    """Return the column with this id or name. An unknown one is a fault that names the nearest."""
    column = shape.column(ref)
    if column is None:
        hint = form.hint(ref, names=[each.name for each in shape.columns])
        form.fault(path=path, code="unknown_column", message=UNKNOWN_COLUMN(column=shown(ref), hint=hint))
    return column


def _read_cell(value: Any, *, column: ColumnSpec, path: str, typecast: bool, cells: Cells) -> None:
    kind = get_column_type(column.type)
    try:
        if not typecast:
            cells.values[column.id] = kind.check(value, column)
            return
        cast = kind.cast(value, column)
    except ValueFault as fault:
        cells.faults.append(
            {
                "path": path,
                "code": fault.code,
                **message_fields(fault.in_column(column.name)),
                "value": short(value),
                "column": column.id,
            }
        )
        return
    cells.values[column.id] = cast.value
    if cast.changed:
        cells.casts.append({"column": column.id, "from": value, "to": cast.value})
