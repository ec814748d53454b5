"""Read and plan many updates of rows by columns, with rows that are added at the end among them."""
from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from tables.column_types import TableShape, get_column_type
from tables.operations.body_reader import is_row_id
from tables.operations.cells import RowsByColumn, StoredRow, StoredRows
from tables.operations.changes.delta import equivalent, same
from tables.operations.plans.new_rows import NewRows, read_new_rows, read_stored_new_rows, read_values

Json = dict[str, Any]
UPDATE_FIELDS = {"action", "row_id", "changes", "version"}
STORED_FIELDS = {"index", "action", "row_id", "changes", "before", "row_version", "casts", "exact", "reason", "written"}


@dataclass(frozen=True)
class RowUpdates:
    """The operations of a request or stored proposal, read but not compared with their rows.

    `ids` and `versions` (None: not known to the client) are those of the updates, `columns[id]` lists which update sets
    the column to which value. `adds` are the data of the other operations, None if there are none. `written` is as of
    `Planned`, for each operation of a stored proposal.
    """

    actions: Sequence[str]
    ids: Sequence[int]
    versions: Sequence[int | None]
    columns: Mapping[str, Sequence[tuple[int, Any]]]
    adds: NewRows | None
    written: Sequence[int | None] = ()


class KnownUpdate(NamedTuple):
    """An update of a row, all cells of which are stored values by column id.

    `changes` are the new ones. `before` are those that the row is known to have, among them all that change.
    """

    row_id: int
    row_version: int
    changes: Json
    before: Json
    reason: str


@dataclass(frozen=True)
class ChangedRows:
    """Planned updates and new rows.

    `changes` are `[id, before, after]` with the changed cells. `rows` are the rows of all updates, in their order, as
    they will be. `applied` and `skipped` are as of `planned.outcome`; the ids of new rows are not known yet.
    """

    changes: list[list[Any]]
    rows: StoredRows
    adds: NewRows | None
    applied: list[Json]
    skipped: list[Json]

    @cached_property
    def contents(self) -> Mapping[int, Json]:
        """The whole data of each changed row by id."""
        return _Contents(self)


class _Contents(Mapping[int, Json]):
    """The data of changed rows, created when it is read, because most changes only need its stored form."""

    def __init__(self, changed: ChangedRows) -> None:
        self._ids = [row_id for row_id, *_ in changed.changes]
        self._rows = changed.rows

    @cached_property
    def _data(self) -> dict[int, Json]:
        data = dict(zip(self._rows.ids, self._rows.cells, strict=True))
        return {row_id: data[row_id] for row_id in self._ids}

    def __getitem__(self, row_id: int) -> Json:
        return self._data[row_id]

    def __iter__(self) -> Iterator[int]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


def read_row_updates(operations: Sequence[Any], *, shape: TableShape, typecast: bool) -> RowUpdates | None:
    """Return the updates; None if there are other operations than updates by id and additions at the end, or faults.

    Then `read_data_proposal` and `plan_data` must read and plan them.
    """
    updates = [each for each in operations if type(each) is dict and each.get("action") == "update"]
    others = [each for each in operations if type(each) is not dict or each.get("action") != "update"]
    if not updates or not all(each.keys() <= UPDATE_FIELDS for each in updates):
        return None
    ids: list[int] = [row_id for each in updates if is_row_id(row_id := each.get("row_id"))]
    versions: list[int | None] = [each.get("version") for each in updates]
    cells: list[Json] = [each.get("changes", {}) for each in updates]
    if len(ids) < len(updates) or len(set(ids)) < len(ids):
        return None
    if not {type(version) for version in versions} <= {int, type(None)}:
        return None
    if not all(type(each) is dict and each for each in cells):
        return None
    columns = _columns(cells, shape=shape, typecast=typecast)
    adds = read_new_rows(others, shape=shape, typecast=typecast) if others else None
    if columns is None or (others and adds is None):
        return None
    return RowUpdates([each["action"] for each in operations], ids, versions, columns, adds)


def stored_updates(updates: Sequence[KnownUpdate], *, shape: TableShape) -> list[Json] | None:
    """Return the operations of a stored proposal with these updates.

    They are those that `complete_data_proposal` returns. None if columns do not have values of this form any more, or
    there is anything else to report.
    """
    if len({each.row_id for each in updates}) < len(updates):
        return None
    if not all(each.changes and each.changes.keys() <= each.before.keys() for each in updates):
        return None
    if _columns([each.changes for each in updates], shape=shape, typecast=False) is None:
        return None
    if not _are_stored([each.before for each in updates], shape=shape):
        return None
    return [
        {
            "index": index, "action": "update", "row_id": each.row_id, "changes": each.changes, "before": each.before,
            "row_version": each.row_version, "exact": True, **({"reason": each.reason} if each.reason else {}),
        }
        for index, each in enumerate(updates)
    ]  # fmt: skip


def _are_stored(rows: Sequence[Json], *, shape: TableShape) -> bool:
    """Return whether all cells have the form in which their columns store them."""
    for key in {key for row in rows for key in row}:
        column = shape.column(key)
        if column is None:
            return False
        stores = get_column_type(column.type).stores
        if not all(stores(value) for row in rows if (value := row.get(key)) is not None):
            return False
    return True


def plan_stored_updates(
    operations: Sequence[Json], *, rows: Mapping[int, StoredRow], shape: TableShape
) -> ChangedRows | None:
    """Plan updates of a stored proposal, with rows that are added at the end among them.

    None if there are other operations, a conflict, or anything else to report. Then `plan_data` must plan them.
    """
    updates = [each for each in operations if each["action"] == "update"]
    others = [each for each in operations if each["action"] != "update"]
    ids: list[int] = [each["row_id"] for each in updates]
    if len(set(ids)) < len(ids) or not all(each.keys() <= STORED_FIELDS for each in updates):
        return None
    known = {column.id for column in shape.columns}
    if not {key for each in updates for key in each["changes"]} <= known:
        return None
    found = [row for row_id in ids if (row := rows.get(row_id)) is not None]
    if len(found) < len(ids):
        return None
    if not all(_has_expected_cells(each, row=row, known=known) for each, row in zip(updates, found, strict=True)):
        return None
    columns = _columns([each["changes"] for each in updates], shape=shape, typecast=False)
    adds = read_stored_new_rows(others, shape=shape) if others else None
    if columns is None or (others and adds is None):
        return None
    return plan_row_updates(
        RowUpdates(
            [each["action"] for each in operations], ids, [None] * len(ids), columns, adds,
            [each.get("written") for each in operations],
        ),
        rows=StoredRows.of(found, columns=[column for column in shape.columns if not column.is_computed]),
    )  # fmt: skip


def _has_expected_cells(operation: Json, *, row: StoredRow, known: Collection[str]) -> bool:
    """Return whether the row has the values of the time when the operation was stored."""
    before = operation["before"].items()
    return all(equivalent(row.data.get(key), was) for key, was in before if key in known)


def _columns(
    rows: Sequence[Json], *, shape: TableShape, typecast: bool
) -> dict[str, list[tuple[int, Any]]] | None:
    """Return the stored values of each column with the index of their row; None if there is anything to report."""
    refs = dict.fromkeys(ref for names in dict.fromkeys(map(tuple, rows)) for ref in names)
    columns: dict[str, list[tuple[int, Any]]] = {}
    for ref in refs:
        column = shape.column(ref)
        if column is None or column.id in columns:
            return None
        indexes = [index for index, row in enumerate(rows) if ref in row]
        values = read_values([rows[index][ref] for index in indexes], column=column, typecast=typecast)
        if values is None or (column.required and None in values):
            return None
        columns[column.id] = list(zip(indexes, values, strict=True))
    return columns


def plan_row_updates(updates: RowUpdates, *, rows: StoredRows) -> ChangedRows | None:
    """Compare updates with their current rows, in their order; None if a row has another version."""
    known = zip(updates.versions, rows.versions, strict=True)
    if any(version not in (None, current) for version, current in known):
        return None
    before: list[Json] = [{} for _ in updates.ids]
    after: list[Json] = [{} for _ in updates.ids]
    columns = dict(rows.cells.columns)
    for column_id, cells in updates.columns.items():
        values = columns[column_id] = list(columns[column_id])
        for index, value in cells:
            was = values[index]
            if was != value or not same(was, value):
                before[index][column_id], after[index][column_id] = was, value
                values[index] = value
    applied: list[Json] = []
    skipped: list[Json] = []
    number = 0
    for index, action in enumerate(updates.actions):
        entry: Json = {"index": index, "action": action}
        if updates.written and (written := updates.written[index]) is not None:
            entry["written"] = written
        if action == "update":
            entry["row_id"] = updates.ids[number]
            if not after[number]:
                skipped.append({**entry, "reason": "nothing_to_do"})
            number += 1
            if not after[number - 1]:
                continue
        applied.append(entry)
    changes = [list(each) for each in zip(updates.ids, before, after, strict=True) if each[2]]
    versions = [version + 1 if cells else version for version, cells in zip(rows.versions, after, strict=True)]
    rows_after = StoredRows(updates.ids, versions, RowsByColumn(columns, count=len(versions)))
    return ChangedRows(changes, rows_after, updates.adds, applied, skipped)
