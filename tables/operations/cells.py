"""The cells of rows, as stored, and read from names of columns and values with all faults."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol, overload

from shared import strictjson
from shared.user_messages import declare, message_fields
from tables.column_types import ColumnSpec, TableShape, ValueFault, get_column_type
from tables.column_types.faults import shown
from tables.column_types.row_digest import json_values
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


class RowsByColumn(Sequence[Json]):
    """The data of rows, stored by column; the objects of rows are created when they are read."""

    def __init__(self, columns: Mapping[str, Sequence[Any]], *, count: int) -> None:
        self.columns = columns
        self._count = count

    @cached_property
    def written(self) -> Mapping[str, Sequence[str | None]]:
        """The JSON of the values by column, which is part of what is stored and of responses; None: no value."""
        return {column_id: json_values(values) for column_id, values in self.columns.items()}

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Json: ...
    @overload
    def __getitem__(self, index: slice) -> list[Json]: ...
    def __getitem__(self, index: int | slice) -> Json | list[Json]:
        if isinstance(index, slice):
            return list(self)[index]
        return {key: values[index] for key, values in self.columns.items() if values[index] is not None}

    def __iter__(self) -> Iterator[Json]:
        ids = tuple(self.columns)
        if not ids:
            return iter([{} for _ in range(self._count)])
        rows = zip(*self.columns.values(), strict=True)
        if not any(None in values for values in self.columns.values()):
            return (dict(zip(ids, row, strict=True)) for row in rows)
        return ({key: value for key, value in zip(ids, row, strict=True) if value is not None} for row in rows)


class StoredRows(NamedTuple):
    """Different rows of the table, read by column."""

    ids: Sequence[int]
    versions: Sequence[int]
    cells: RowsByColumn

    @classmethod
    def of(cls, rows: Sequence[StoredRow], *, columns: Iterable[ColumnSpec]) -> StoredRows:
        """Return these rows with the cells of these columns."""
        values = {column.id: [row.data.get(column.id) for row in rows] for column in columns}
        cells = RowsByColumn(values, count=len(rows))
        return cls([row.id for row in rows], [row.version for row in rows], cells)

    def by_id(self) -> dict[int, StoredRow]:
        """Return the rows by id."""
        each = zip(self.ids, self.versions, self.cells, strict=True)
        return {row_id: RowState(row_id, version, data) for row_id, version, data in each}


@dataclass(slots=True)
class Cells:
    """Cells of one row by column id (None: no value), with notes of casts and faults of unreadable values."""

    values: Json = field(default_factory=dict)
    casts: list[Json] = field(default_factory=list)
    faults: list[Json] = field(default_factory=list)


class CopiedCells:
    """The cells of rows that are copied. Their values remain valid, because formats restrict new values only."""

    def __init__(self, rows: Iterable[Mapping[str, Any]] = ()) -> None:
        self._rows = list(rows)
        self._values: dict[str, set[str]] = {}

    def read(self, value: Any, *, column: ColumnSpec) -> Any:
        """Return the value if a copied row has it in this column. Raises LookupError, and ValueFault as undo does."""
        if not self._rows:
            raise LookupError
        if column.id not in self._values:
            self._values[column.id] = {strictjson.dumps(row.get(column.id)) for row in self._rows}
        if strictjson.dumps(value) not in self._values[column.id]:
            raise LookupError
        return get_column_type(column.type).check_restored(value, column)


NOTHING_COPIED = CopiedCells()


def filled(values: Json) -> Json:
    """Return the cells that have a value."""
    return {key: value for key, value in values.items() if value is not None} if None in values.values() else values


class CellReader:
    """Reads the cells of many rows of one table: columns and their types are looked up once for all rows."""

    def __init__(self, shape: TableShape, *, typecast: bool, copied: CopiedCells = NOTHING_COPIED) -> None:
        self._shape = shape
        self._typecast = typecast
        self._copied = copied
        self._known: dict[Any, tuple[str, ColumnSpec, Callable[[Any, ColumnSpec], Any]]] = {}

    def read(self, raw: Any, *, path: str, form: Form) -> Cells:
        """Return the cells of one row, as `read_cells` does."""
        if isinstance(raw, dict):
            try:
                cells = self._cast(raw) if self._typecast else Cells(self._check(raw))
            except (ValueFault, KeyError):
                pass  # `read_cells` reports all faults.
            else:
                # Otherwise a column is named twice.
                if len(cells.values) == len(raw):
                    return cells
        return read_cells(
            raw, shape=self._shape, path=path, typecast=self._typecast, form=form, copied=self._copied
        )

    def _check(self, raw: Json) -> Json:
        values: Json = {}
        known = self._known
        for ref, value in raw.items():
            column_id, column, check = known.get(ref) or self._look_up(ref)
            values[column_id] = check(value, column)
        return values

    def _cast(self, raw: Json) -> Cells:
        cells = Cells()
        values, known = cells.values, self._known
        for ref, value in raw.items():
            column_id, column, cast = known.get(ref) or self._look_up(ref)
            values[column_id], changed = cast(value, column)
            if changed:
                cells.casts.append({"column": column_id, "from": value, "to": values[column_id]})
        return cells

    def _look_up(self, ref: Any) -> tuple[str, ColumnSpec, Callable[[Any, ColumnSpec], Any]]:
        """Return the id of a column, the column, and the method that reads its values. Raises KeyError."""
        column = self._shape.column(ref)
        if column is None:
            raise KeyError(ref)
        kind = get_column_type(column.type)
        self._known[ref] = found = column.id, column, kind.cast if self._typecast else kind.check
        return found


def read_cells(
    raw: Any,
    *,
    shape: TableShape,
    path: str,
    typecast: bool,
    form: Form,
    are_known: bool = False,
    copied: CopiedCells = NOTHING_COPIED,
) -> Cells:
    """Read the cells of an object keyed by column id or name; `are_known`: they are not new ones of the row.

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
        try:
            _read_cell(value, column=column, typecast=typecast, cells=cells, is_known=are_known)
        except ValueFault as fault:
            try:
                cells.values[column.id] = copied.read(value, column=column)
            except (LookupError, ValueFault):
                cells.faults.append(_fault_json(fault, value=value, column=column, path=where))
    return cells


def resolve_column(ref: Any, *, shape: TableShape, path: str, form: Form) -> ColumnSpec | None:
    """Return the column with this id or name. An unknown one is a fault that names the nearest."""
    column = shape.column(ref)
    if column is None:
        hint = form.hint(ref, names=[each.name for each in shape.columns])
        form.fault(path=path, code="unknown_column", message=UNKNOWN_COLUMN(column=shown(ref), hint=hint))
    return column


def _read_cell(value: Any, *, column: ColumnSpec, typecast: bool, cells: Cells, is_known: bool) -> None:
    kind = get_column_type(column.type)
    if not typecast:
        cells.values[column.id] = kind.check(value, column)
        return
    cast = kind.cast_known(value, column) if is_known and not kind.is_computed else kind.cast(value, column)
    cells.values[column.id] = cast.value
    if cast.changed:
        cells.casts.append({"column": column.id, "from": value, "to": cast.value})


def _fault_json(fault: ValueFault, *, value: Any, column: ColumnSpec, path: str) -> Json:
    return {
        "path": path,
        "code": fault.code,
        **message_fields(fault.in_column(column.name)),
        "value": short(value),
        "column": column.id,
    }
