"""Plan the undo or redo of a change on the current table, without overwriting later changes."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from shared.user_messages import Message, declare
from tables.column_types import ColumnSpec, TableShape, ValueFault, get_column_type, name_key
from tables.exceptions import Fault
from tables.operations.cells import RowState
from tables.operations.changes.delta import Delta, same
from tables.operations.changes.restored_columns import fitting_column, merged_field
from tables.operations.changes.undo_paths import cell_path, column_path, table_path
from tables.operations.changes.undo_required import WOULD_BE_REQUIRED, RequiredColumns, is_empty, newly_empty
from tables.operations.column_keys import ColumnNames
from tables.operations.columns import (
    definition,
    difference,
    numbered,
    restored_order,
)
from tables.operations.row_names import row_message

Json = dict[str, Any]
NAME_TAKEN_SINCE = declare("name_taken_since", "Another column is now named “{column}”.")
CHANGED_ELSEWHERE = declare("changed_elsewhere", "“{name}” was changed since.")
# Fields of columns that are restored as a whole and that affect values.
VALUE_KEYS = {"type", "options"}
# Later changes that no decision overwrites: the value has no cell any more, or does not fit into it.
UNRESTORABLE_CODES = {"row_deleted", "column_removed", "column_changed"}


@dataclass
class UndoPlan:
    """The changes to make: `after` are the resulting columns, `contents` the data of changed and restored rows.

    `conflicts` are later changes without a decision; with any of them nothing may be written. `skipped` are values that
    are not restored although the decision is to overwrite.
    """

    after: tuple[ColumnSpec, ...] = ()
    delta: Delta = field(default_factory=Delta)
    contents: dict[int, Json] = field(default_factory=dict)
    conflicts: list[Fault] = field(default_factory=list)
    skipped: list[Fault] = field(default_factory=list)


def plan_undo(
    *,
    delta: Delta,
    shape: TableShape,
    rows: Mapping[int, RowState],
    all_rows: Callable[[], Iterable[RowState]],
    decision: str | Mapping[str, str] = "",
    required: RequiredColumns | None = None,
) -> UndoPlan:
    """Plan an inverted `delta`: `was` is the state that the change left, `now` the state to restore.

    decision: "", "overwrite", "skip", or one of these by the path of each conflict (`undo_paths`), with the name or id
    of the column. `all_rows()` iterates over the live rows; it is only called if columns are affected. Without
    `required`, cells of required columns may become empty: nothing was written since the change.
    """
    planner = _Planner(delta=delta, shape=shape, rows=rows, decision=decision, required=required)
    planner.plan_columns()
    if planner.removing or planner.retyped:
        planner.check_removed_values(all_rows())
    for key, was, now in delta.rows:
        planner.plan_row(key, was=was, now=now)
    if planner.removing or planner.retyped:
        planner.convert_values(all_rows())
    planner.finish()
    return planner.plan


class _Planner:
    def __init__(
        self,
        *,
        delta: Delta,
        shape: TableShape,
        rows: Mapping[int, RowState],
        decision: str | Mapping[str, str],
        required: RequiredColumns | None,
    ) -> None:
        self.delta = delta
        self.shape = shape
        self.rows = dict(rows)
        self.decision = decision
        self.required = required
        self.before = {column.id: column for column in shape.columns}
        self.columns = dict(self.before)
        self.names = ColumnNames.of(shape.columns)
        self.removing: set[str] = set()
        self.retyped: set[str] = set()
        self.left: dict[int, Json] = {key: was or {} for key, was, _ in delta.rows}
        self.cells: dict[int, Json] = {}
        self.plan = UndoPlan()

    def plan_columns(self) -> None:
        for key, was, now in self.delta.columns:
            current = self.columns.get(key)
            if was is None:
                if current is None:
                    self.columns[key] = ColumnSpec.from_json(now, zone=self.shape.zone, people=self.shape.people)
            elif current is None:
                continue
            elif now is None:
                self._remove_column(current, was=was)
            else:
                self._restore_column(current, was=was, now=now)
        self.names.add({key: column.name for key, column in self.columns.items() if key not in self.before})

    def check_removed_values(self, all_rows: Iterable[RowState]) -> None:
        """Report values written to a column since it was added, which would be lost with it."""
        for row in all_rows:
            for key in list(self.removing):
                value = row.data.get(key)
                if value is None or same(value, self.left.get(row.id, {}).get(key)):
                    continue
                if self._decide_cell(row, key, code="filled_since", value=value) == "skip":
                    self.removing.discard(key)
                    self.columns[key] = self.before[key]

    def plan_row(self, row_id: int, *, was: Json | None, now: Json | None) -> None:
        row = self.rows.get(row_id)
        if row is None:
            return
        if was is None:
            if row.deleted and not self._stays_deleted(row, now=now or {}):
                data = {key: value for key, value in (now or {}).items() if self._fits(row, key, value)}
                self.plan.contents[row_id] = data
                self.plan.delta.rows.append([row_id, None, data])
        elif now is None:
            if not row.deleted:
                self._delete_row(row, was=was)
        elif row.deleted:
            self._report_deleted_row(row, now=now)
        else:
            self._restore_cells(row, was=was, now=now)

    def convert_values(self, all_rows: Iterable[RowState]) -> None:
        """Record the values of removed columns, and convert those of columns that change type."""
        deleted_ids = {key for key, _, now in self.plan.delta.rows if now is None}
        for row in all_rows:
            if row.id in deleted_ids:
                continue
            cells = self.cells.get(row.id, {})
            for key in self.removing:
                if row.data.get(key) is not None:
                    cells[key] = None
            for key in self.retyped:
                value = row.data.get(key)
                if value is not None and key not in cells:
                    new = self._converted(row, key, value)
                    if not same(value, new):
                        cells[key] = new
            if cells:
                self.cells[row.id] = cells
                self.rows.setdefault(row.id, row)

    def finish(self) -> None:
        for row_id, cells in self.cells.items():
            row = self.rows[row_id]
            was = {key: row.data.get(key) for key in cells}
            self.plan.delta.rows.append([row_id, was, cells])
            whole = {**row.data, **cells}
            self.plan.contents[row_id] = {key: value for key, value in whole.items() if value is not None}
        self._check_required()
        ids = list(self.before)
        order = restored_order(self.delta.order, current=ids, live=self.columns)
        self.plan.after = numbered(self.columns[key] for key in order)
        for key in [*ids, *(key for key in self.columns if key not in self.before)]:
            old, new = self.before.get(key), self.columns.get(key)
            if old is None or new is None:
                self.plan.delta.columns.append([key, old and definition(old), new and definition(new)])
            elif old != new:
                self.plan.delta.columns.append([key, *difference(old, new)])
        if order != ids:
            self.plan.delta.order = {"was": ids, "now": order}
        self.plan.delta.table = self._table()
        self._check_names()

    def _check_required(self) -> None:
        """Report columns that would become required although rows have no value in them."""
        becoming = [
            column
            for key, column in self.columns.items()
            if column.required and not (key in self.before and self.before[key].required)
        ]
        counts = self.required.count_empty(becoming) if self.required and becoming else {}
        for column in becoming:
            count = counts.get(column.id, 0) + newly_empty(self.plan.delta.rows, column.id)
            if not self.required or count <= 0:
                continue
            path, by_id = column_path(self.names(column.id)), column_path(column.id)
            message = WOULD_BE_REQUIRED(column=column.name, count=count)
            if self._decide(path, by_id=by_id, code="empty_cells", value=count, message=message) == "skip":
                self.columns[column.id] = replace(column, required=False)

    def _check_names(self) -> None:
        """Refuse duplicate names that this would cause. Existing duplicates are allowed."""
        holders: dict[str, ColumnSpec] = {}
        for column in self.plan.after:
            other = holders.setdefault(name_key(column.name), column)
            renamed = [each for each in (column, other) if self._is_new_name(each)]
            if other is not column and renamed:
                message = NAME_TAKEN_SINCE(column=column.name)
                path = column_path(self.names(column.id))
                self.plan.conflicts.append(Fault(path=path, code="doubled_name", message=message))

    def _is_new_name(self, column: ColumnSpec) -> bool:
        return column.id not in self.before or self.before[column.id].name != column.name

    def _table(self) -> Json | None:
        if self.delta.table is None:
            return None
        current = {"name": self.shape.name, "description": self.shape.description}
        was, now = self.delta.table["was"], self.delta.table["now"]
        back = {key: value for key, value in now.items() if key == "deleted"}
        for key in ("name", "description"):
            if key not in now or key not in was or current[key] == now[key]:
                continue
            message = CHANGED_ELSEWHERE(name=key)
            if (
                current[key] == was[key]
                or self._decide(table_path(key), message=message, code="changed_since") == "overwrite"
            ):
                back[key] = now[key]
        old = {key: was[key] if key == "deleted" else current[key] for key in back}
        return {"was": old, "now": back} if back else None

    def _remove_column(self, current: ColumnSpec, *, was: Json) -> None:
        now = definition(current)
        # Changes recorded before a column field was introduced do not have it.
        changed = any(now[key] != value for key, value in was.items())
        if changed and self._decide_column(current) == "skip":
            return
        self.removing.add(current.id)
        self.columns.pop(current.id)

    def _restore_column(self, current: ColumnSpec, *, was: Json, now: Json) -> None:
        fields = definition(current)
        for key, value in now.items():
            if same(fields[key], value):
                continue
            if not same(fields[key], was[key]):
                merged = merged_field(key, current=fields[key], was=was[key], now=value)
                if merged is not None:
                    value = merged
                elif self._decide_column(current) == "skip":
                    continue
            fields[key] = value
        restored = fitting_column(fields, current=current, decide=lambda: self._decide_column(current))
        if any(not same(definition(restored)[key], definition(current)[key]) for key in VALUE_KEYS):
            self.retyped.add(current.id)
        if restored.value_form != current.value_form:
            self.retyped.add(current.id)
        self.columns[current.id] = restored

    def _became_required(self, key: str) -> bool:
        """Return whether a column needs a value that it did not need when the change was made."""
        return self.required is not None and self.columns[key].required and key in self.required.required_since()

    def _stays_deleted(self, row: RowState, *, now: Json) -> bool:
        """Report a row to restore without a value in columns that became required since; return whether to skip it."""
        empty = [key for key in self.before if key in self.columns and is_empty(now.get(key))]
        decisions = [
            self._decide_cell(row, key, code="required", value=None) for key in empty if self._became_required(key)
        ]
        return "skip" in decisions

    def _delete_row(self, row: RowState, *, was: Json) -> None:
        for key in self.before:
            value = row.data.get(key)
            if same(value, was.get(key)):
                continue
            if self._decide_cell(row, key, code="cell_changed", value=value) == "skip":
                return
        self.plan.delta.rows.append([row.id, dict(row.data), None])

    def _report_deleted_row(self, row: RowState, *, now: Json) -> None:
        """Report cells that cannot be restored in a deleted row: they would be missing if the row is restored later."""
        for key, value in now.items():
            if key in self.columns:
                self._decide_cell(row, key, code="row_deleted", value=value)

    def _report_deleted_column(self, row: RowState, key: str, *, value: Any) -> None:
        """Report a value of a column that was deleted before, which undo cannot restore."""
        if value is not None and key not in self.before:
            self._decide_cell(row, key, code="column_removed", value=value)

    def _restore_cells(self, row: RowState, *, was: Json, now: Json) -> None:
        for key, value in now.items():
            current = row.data.get(key)
            if same(current, value):
                continue
            if key not in self.columns:
                self._report_deleted_column(row, key, value=value)
                continue
            is_missing = is_empty(value) and self._became_required(key)
            code = "required" if is_missing else "" if same(current, was.get(key)) else self._change_of(key, current)
            if code and self._decide_cell(row, key, code=code, value=current) == "skip":
                continue
            if value is None or self._fits(row, key, value):
                if value is not None and get_column_type(self.columns[key].type).has_lists:
                    # The options may have another order now.
                    value = get_column_type(self.columns[key].type).check(value, self.columns[key])
                self.cells.setdefault(row.id, {})[key] = value

    def _change_of(self, key: str, current: Any) -> str:
        """Return the code of a conflict about a cell that was changed since."""
        try:
            if current is not None and key in self.retyped:
                self._form_of(current, key)
        except ValueFault:
            return "unconvertible"
        return "cell_changed"

    def _fits(self, row: RowState, key: str, value: Any) -> bool:
        column = self.columns.get(key)
        if column is None:
            self._report_deleted_column(row, key, value=value)
            return False
        try:
            get_column_type(column.type).check_restored(value, column)
        except ValueFault:
            self._decide_cell(row, key, code="column_changed", value=value)
            return False
        return True

    def _converted(self, row: RowState, key: str, value: Any) -> Any:
        source, target = self.before[key], self.columns[key]
        kind, same_type = get_column_type(target.type), source.value_form == target.value_form
        try:
            return self._form_of(value, key)
        except ValueFault:
            decision = self._decide_cell(row, key, code="unconvertible", value=value)
            if not (same_type and kind.has_options):
                return None
            removed = [option for option in kind.options_of(value) if option not in target.options]
            if decision == "skip" and all(option in source.options for option in removed):
                # An option that is in use is not removed, and its colour is not changed.
                colors = (*target.option_colors, *((option, source.colors[option]) for option in removed))
                self.columns[key] = replace(target, options=(*target.options, *removed), option_colors=colors)
                return value
            return kind.replace_options(value, replaced=dict.fromkeys(removed), column=target)

    def _form_of(self, value: Any, key: str) -> Any:
        """Return a value in the form that its column will have. Raises ValueFault."""
        source, target = self.before[key], self.columns[key]
        kind = get_column_type(target.type)
        if source.value_form == target.value_form:
            return kind.check_restored(value, target)
        return kind.convert(value, source=source, target=target)

    def _decide_cell(self, row: RowState, key: str, *, code: str, value: Any) -> str:
        unrestorable = code in UNRESTORABLE_CODES
        if self.decision == "skip" or (self.decision == "overwrite" and not unrestorable):
            return str(self.decision)
        path, by_id = cell_path(row.id, self.names(key)), cell_path(row.id, key)
        column = self.before.get(key) or self.columns.get(key)
        name = column.name if column else key
        message = row_message(code, row, columns=self.before.values(), column=name)
        decision = self._decide(path, by_id=by_id, message=message, code=code, value=value, row=row)
        if unrestorable and decision == "overwrite":
            self.plan.skipped.append(Fault(path, code, value, message=message, row_id=row.id))
        return decision

    def _decide_column(self, column: ColumnSpec) -> str:
        path, by_id = column_path(self.names(column.id)), column_path(column.id)
        return self._decide(path, by_id=by_id, message=CHANGED_ELSEWHERE(name=column.name), code="column_changed")

    def _decide(
        self,
        path: str,
        *,
        message: Message,
        code: str,
        by_id: str = "",
        value: Any = None,
        row: RowState | None = None,
    ) -> str:
        """Return the decision about a later change; without one, add a conflict and return "overwrite"."""
        decision = self.decision
        if not isinstance(decision, str):
            decision = decision.get(path) or decision.get(by_id, "")
        if decision:
            return decision
        row_id = row.id if row else None
        self.plan.conflicts.append(Fault(path, code, value, message=message, row_id=row_id))
        return "overwrite"
