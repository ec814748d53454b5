"""Plan the chosen row operations against the current table: changes, conflicts and errors."""
from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from shared.user_messages import Message, declare
from tables.column_types import ColumnSpec, TableShape, ValueFault, get_column_type
from tables.exceptions import Fault
from tables.operations.body_reader import Form
from tables.operations.cells import UNKNOWN_ROW, VALUE_REQUIRED, StoredRow, filled, read_cells
from tables.operations.changes.delta import equivalent, restore_numbers, same, same_cells
from tables.operations.plans.planned import Planned, add_unresolved
from tables.operations.proposals.choice import Choice, unwrap_edit
from tables.operations.row_names import row_message

Json = dict[str, Any]

# Codes of faults that depend on the choice and on the table, so that each plan checks them again.
RECHECKED_FAULTS = {"overlap", "required"}
COLUMN_REMOVED = declare("column_removed", "A column of this operation was removed since.")
OVERLAP = declare(
    "overlap_of_row",
    "Operation {operation} already changes row {row}.",
    for_pages=declare("overlap", "Operation {operation} already changes this row."),
)
ROW_MISSING = declare(
    "row_missing_by_id", "Row {id} no longer exists.", for_pages=declare("row_missing", "This row no longer exists.")
)
CELL_EMPTIED = declare("cell_emptied", "Empties {column}.")
READ_AS = declare("read_as", "{column}: read as {value}.")
ROW_UNCHANGED = declare("row_unchanged", "The row already has these values.")
CELLS = {"add": "data", "update": "changes"}


class RowAnchor(NamedTuple):
    """A position directly after or before a row; for a deleted row, its former position is used."""

    row_id: int
    after: bool


@dataclass
class DataPlan:
    """The planned operations in order, cells to set by row, rows to delete, and data of the rows to add.

    `beside` is the position of those new rows that are not added at the end, by their index in `adds`.
    """

    planned: list[Planned] = field(default_factory=list)
    updates: dict[int, Json] = field(default_factory=dict)
    deletes: list[int] = field(default_factory=list)
    adds: list[tuple[Planned, Json]] = field(default_factory=list)
    beside: dict[int, RowAnchor] = field(default_factory=dict)


def row_ids(operations: Sequence[Json]) -> list[int]:
    """Return the ids of the rows that operations update or delete, in ascending order."""
    return sorted({operation["row_id"] for operation in operations if operation.get("row_id")})


def anchor_row_ids(operations: Iterable[Json]) -> set[int]:
    """Return the ids of the rows that new rows are placed beside."""
    anchors = (_beside(operation) for operation in operations if operation["action"] == "add")
    return {anchor.row_id for anchor in anchors if anchor is not None}


def plan_data(
    *,
    shape: TableShape,
    operations: Sequence[Json],
    choice: Choice,
    rows: Mapping[int, StoredRow],
    unchanged: Collection[int] = (),
    beside: Collection[int] = (),
    fresh: bool = False,
) -> DataPlan:
    """Plan stored operations against `rows`, the current rows of `row_ids(operations)`.

    `unchanged` are ids of rows to delete that exist and are known to be unchanged: they need not be in `rows`.
    `beside` are those of `anchor_row_ids(operations)` that are rows of the table, deleted ones included.
    `fresh`: the operations were read with this `shape`, so that their values need not be checked again.
    Raises Malformed or Invalid for edits that cannot be read.
    """
    planner = _Planner(shape=shape, choice=choice, rows=rows, unchanged=unchanged, beside=beside, fresh=fresh)
    form = Form()
    edited = {
        each["index"]: _edited(each, edit=choice.edits[each["index"]], shape=shape, form=form)
        for each in (operations if choice.edits else ())
        if choice.edits.get(each["index"])
    }
    for operation in operations:
        planner.plan_operation(edited.get(operation["index"], operation) if edited else operation)
    if form.faults:
        add_unresolved(form, planner.plan.planned)
    form.refuse()
    return planner.plan


def _edited(operation: Json, *, edit: Json, shape: TableShape, form: Form) -> Json:
    """Return the operation with the user's edits: `{"data"|"changes": {…}}` or the cells themselves, and `reason`."""
    path = f"edits.{operation['index']}"
    edit = dict(edit)
    operation = dict(operation)
    if "reason" in edit:
        operation["reason"] = form.text(edit.pop("reason"), path=f"{path}.reason", max_length=2_000)
    part = CELLS.get(operation["action"])
    if part is None:
        form.fields(edit, path=path, allowed=("reason",))
        return operation
    edit, path = unwrap_edit(edit, names=CELLS.values(), path=path)
    cells = read_cells(edit, shape=shape, path=path, typecast=True, form=form)
    read = {*cells.values, *(fault["column"] for fault in cells.faults)}
    remaining = [fault for fault in operation.get("faults", []) if fault.get("column") not in read]
    operation["faults"] = remaining + cells.faults
    operation["casts"] = [cast for cast in operation.get("casts", []) if cast["column"] not in read] + cells.casts
    operation[part] = {key: value for key, value in operation[part].items() if key not in read} | cells.values
    columns = {name: shape.column(name) for name in edit}
    operation["edited"] = {column.name: f"{path}.{name}" for name, column in columns.items() if column is not None}
    if part == "data":
        operation["left_empty"] = [*operation.get("left_empty", []), *cells.values]
    return operation


class _Planner:
    def __init__(
        self,
        *,
        shape: TableShape,
        choice: Choice,
        rows: Mapping[int, StoredRow],
        unchanged: Collection[int],
        beside: Collection[int],
        fresh: bool,
    ) -> None:
        self.shape = shape
        self.columns = {column.id: column for column in shape.columns}
        self.required = {column.id for column in shape.columns if _required(column)}
        self.filled = [
            column for column in shape.columns if column.id in self.required or column.default is not None
        ]
        self.unchanged = unchanged
        self.beside = beside
        self.fresh = fresh
        self.checks = {column.id: get_column_type(column.type).check for column in shape.columns}
        self.choice = choice
        self.rows = rows
        self.plan = DataPlan()
        self.touched: dict[int, dict[str, int]] = {}
        self.deleted: dict[int, int] = {}

    def plan_operation(self, operation: Json) -> None:
        action, faults = operation["action"], operation.get("faults")
        if not self.fresh and (action != "delete" or faults):
            # The stored data of a row to delete is rarely needed, so `_compare` restores its numbers when it is.
            operation = restore_numbers(operation)
        planned = Planned(
            operation["index"], action, reason=operation.get("reason", ""), written=operation.get("written"),
            # Requests that were just read refer to the operation as written; stored proposals refer to it by index.
            is_named_as_written=self.fresh, edited=operation.get("edited"),
        )  # fmt: skip
        self.plan.planned.append(planned)
        if faults:
            self._report_stored_faults(planned, operation=operation)
        if action == "add":
            self._add(operation, planned=planned)
            return
        planned.row_id = row_id = operation["row_id"]
        if row_id in self.unchanged:
            self._delete(planned, row_id=row_id)
            return
        row = self.rows.get(row_id)
        if row is None:
            if planned.state != "error":
                planned.conflict(code="row_missing", message=ROW_MISSING(id=row_id))
                planned.skipped = "row_missing" if self.choice.at_conflict(planned.index) else ""
        elif action == "update":
            self._update(operation, planned=planned, row=row)
        else:
            self._compare(operation, planned=planned, row=row)
            self._delete(planned, row_id=row_id)

    def _report_stored_faults(self, planned: Planned, *, operation: Json) -> None:
        """Report the faults that were found when the operation was stored and that do not depend on the choice."""
        for fault in operation["faults"]:
            if fault["code"] not in RECHECKED_FAULTS:
                planned.fail(
                    code=fault["code"],
                    message=Fault.from_json(fault).message,
                    path=fault["path"],
                    column=fault.get("column"),
                    value=fault.get("value"),
                )

    def _add(self, operation: Json, *, planned: Planned) -> None:
        data = self._fitting_cells(operation["data"], planned=planned)
        missing = [column for column in self.filled if data.get(column.id) is None]
        faulted = _faulted_columns(operation) if missing else ()
        for column in missing:
            if column.id in faulted:
                continue
            given = column.id in operation["data"] or column.id in operation.get("left_empty", ())
            if column.default is not None and not given:
                data[column.id] = column.default
            elif column.id in self.required:
                self._fail_required(planned, column=column, path="data")
        planned.new = data = filled(data)
        anchor = _beside(operation)
        if anchor is not None and anchor.row_id not in self.beside:
            name = "after_row_id" if anchor.after else "before_row_id"
            where = f"{planned.path}.{name}"
            planned.fail(code="unknown_row", message=UNKNOWN_ROW(id=anchor.row_id), path=where, value=anchor.row_id)
        self._note_casts(planned, operation=operation)
        if planned.is_applied:
            if anchor is not None:
                self.plan.beside[len(self.plan.adds)] = anchor
            self.plan.adds.append((planned, data))

    def _update(self, operation: Json, *, planned: Planned, row: StoredRow) -> None:
        before, changed = operation["before"], {}
        for key, value in self._fitting_cells(operation["changes"], planned=planned).items():
            current = row.data.get(key)
            planned.old[key], planned.new[key] = current, value
            expected = before.get(key, current)
            if same(current, value) and (not operation.get("exact") or equivalent(current, expected)):
                continue
            column = self.columns[key]
            if key in before and not equivalent(current, before[key]):
                message = row_message("cell_changed", row, columns=self.shape.columns, column=column.name)
                self._report_change(planned, code="cell_changed", message=message, column=column, value=current)
            if value is None and column.required:
                self._fail_required(planned, column=column, path="changes")
            elif value is None:
                planned.warn(code="emptied", message=CELL_EMPTIED(column=column.name), column=key)
            changed[key] = value
        for key, expected in before.items():
            if key not in operation["changes"] and key in self.columns and not equivalent(row.data.get(key), expected):
                column = self.columns[key]
                message = row_message("cell_changed", row, columns=self.shape.columns, column=column.name)
                value = row.data.get(key)
                self._report_change(planned, code="cell_changed", message=message, column=column, value=value)
        overlap = self.deleted.get(row.id)
        cells = self.touched.setdefault(row.id, {})
        if overlap is None:
            overlap = next((cells[key] for key in planned.new if key in cells), None)
        if overlap is not None:
            self._fail_overlap(planned, earlier=overlap)
        self._note_casts(planned, operation=operation)
        if planned.is_applied:
            cells.update(dict.fromkeys(planned.new, planned.number))
            if changed:
                self.plan.updates.setdefault(row.id, {}).update(changed)
            else:
                planned.mark_noop(ROW_UNCHANGED())

    def _compare(self, operation: Json, *, planned: Planned, row: StoredRow) -> None:
        """Compare a row to delete with its values when that was proposed, and with the expected cells."""
        planned.old = dict(row.data)
        before = {key: value for key, value in restore_numbers(operation["before"]).items() if key in self.columns}
        if not same_cells(before, planned.old):
            message = row_message("row_changed", row, columns=self.shape.columns)
            self._report_change(planned, code="row_changed", message=message, column=None, value=None)
        for key, expected in restore_numbers(operation.get("expected", {})).items():
            column, value = self.columns.get(key), row.data.get(key)
            if column is not None and not equivalent(value, expected):
                message = row_message("cell_changed", row, columns=self.shape.columns, column=column.name)
                self._report_change(planned, code="cell_changed", message=message, column=column, value=value)

    def _delete(self, planned: Planned, *, row_id: int) -> None:
        overlap = self.deleted.get(row_id)
        if overlap is None and row_id in self.touched:
            overlap = next(iter(self.touched[row_id].values()), None)
        if overlap is not None:
            self._fail_overlap(planned, earlier=overlap)
        if planned.is_applied:
            self.deleted[row_id] = planned.number
            self.plan.deletes.append(row_id)

    def _fitting_cells(self, cells: Json, *, planned: Planned) -> Json:
        """Return the cells that still fit their columns; the others are conflicts."""
        if self.fresh:
            return dict(cells)
        fitting: Json = {}
        for key, value in cells.items():
            column = self.columns.get(key)
            if column is None:
                self._report_change(planned, code="column_removed", message=COLUMN_REMOVED(), column=None, value=None)
                continue
            try:
                fitting[key] = self.checks[key](value, column)
            except ValueFault as fault:
                code = "option_removed" if fault.code == "unknown_option" else "column_changed"
                message = fault.in_column(column.name)
                self._report_change(planned, code=code, message=message, column=column, value=value)
        return fitting

    def _report_change(
        self, planned: Planned, *, code: str, message: Message, column: ColumnSpec | None, value: Any
    ) -> None:
        """Report a conflict, or apply the user's decision about conflicts."""
        name = column.id if column else None
        if self.choice.at_conflict(planned.index) == "overwrite":
            planned.warn(code=code, message=message, column=name, value=value)
            return
        path = planned.path + (f".{CELLS.get(planned.action, 'expected')}.{column.name}" if column else "")
        planned.conflict(code=code, message=message, path=path, column=name, value=value)
        if self.choice.at_conflict(planned.index) == "skip":
            planned.skipped = code

    def _fail_required(self, planned: Planned, *, column: ColumnSpec, path: str) -> None:
        where = planned.path_of(path, column.name)
        planned.fail(code="required", message=VALUE_REQUIRED(column=column.name), path=where, column=column.id)

    def _fail_overlap(self, planned: Planned, *, earlier: int) -> None:
        planned.fail(code="overlap", message=OVERLAP(operation=earlier, row=planned.row_id))

    def _note_casts(self, planned: Planned, *, operation: Json) -> None:
        for cast in operation.get("casts", []):
            column = self.columns.get(cast["column"])
            if column is not None:
                message = READ_AS(column=column.name, value=get_column_type(column.type).text_in(cast["to"], column))
                planned.warn(code="cast", message=message, column=column.id, value=cast["from"])


def _beside(operation: Json) -> RowAnchor | None:
    if "after_row_id" in operation:
        return RowAnchor(operation["after_row_id"], after=True)
    return RowAnchor(operation["before_row_id"], after=False) if "before_row_id" in operation else None


def _required(column: ColumnSpec) -> bool:
    """Return whether a new row needs a value here. Columns whose type is not installed cannot be written."""
    return column.required and get_column_type(column.type).registered


def _faulted_columns(operation: Json) -> set[str]:
    return {fault["column"] for fault in operation.get("faults", []) if "column" in fault}
