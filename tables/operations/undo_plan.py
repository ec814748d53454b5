"""Plans taking a change back (or doing it again) on the table as it is now, without overwriting what came later."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tables.column_types import ColumnSpec, TableShape, ValueFault, get_column_type, name_key
from tables.exceptions import Fault
from tables.operations.cells import RowState
from tables.operations.columns import (
    definition,
    difference,
    numbered,
    restored_colors,
    restored_options,
    restored_order,
)
from tables.operations.delta import Delta, same
from tables.operations.row_names import told_of_row
from user_messages import declare

Json = dict[str, Any]
NAME_TAKEN_SINCE = declare("name_taken_since", "There is another column “{column}” now.")
CHANGED_ELSEWHERE = declare("changed_elsewhere", "“{name}” has been changed since.")
# Of columns that change as a whole: whether values have to be looked at.
VALUE_KEYS = {"type", "options"}


@dataclass
class UndoPlan:
    """What is really done: `after` are the columns then, `contents` the whole data of rows changed or brought back.

    `conflicts` holds what would be overwritten and nobody decided about; with any of them nothing may be written.
    """

    after: tuple[ColumnSpec, ...] = ()
    delta: Delta = field(default_factory=Delta)
    contents: dict[int, Json] = field(default_factory=dict)
    conflicts: list[Fault] = field(default_factory=list)


def plan_undo(
    *,
    delta: Delta,
    shape: TableShape,
    rows: Mapping[int, RowState],
    all_rows: Callable[[], Iterable[RowState]],
    decision: str | Mapping[str, str] = "",
) -> UndoPlan:
    """`delta` is already turned round: its `was` is what the change left behind, its `now` what should come back.

    decision: "", "overwrite", "keep", or one of these for each `"<row>:<column>"`. `all_rows()` walks over the live
    rows; it is asked only when columns come into it.
    """
    planner = _Planner(delta=delta, shape=shape, rows=rows, decision=decision)
    planner.take_columns()
    if planner.removing or planner.retyped:
        planner.look_at(all_rows())
    for key, was, now in delta.rows:
        planner.take_row(key, was=was, now=now)
    if planner.removing or planner.retyped:
        planner.follow_columns(all_rows())
    planner.finish()
    return planner.plan


class _Planner:
    def __init__(
        self, *, delta: Delta, shape: TableShape, rows: Mapping[int, RowState], decision: str | Mapping[str, str]
    ) -> None:
        self.delta = delta
        self.shape = shape
        self.rows = dict(rows)
        self.decision = decision
        self.before = {column.id: column for column in shape.columns}
        self.columns = dict(self.before)
        self.removing: set[str] = set()
        self.retyped: set[str] = set()
        self.left: dict[int, Json] = {key: was or {} for key, was, _ in delta.rows}
        self.cells: dict[int, Json] = {}
        self.plan = UndoPlan()

    def take_columns(self) -> None:
        for key, was, now in self.delta.columns:
            current = self.columns.get(key)
            if was is None:
                if current is None:
                    self.columns[key] = ColumnSpec.from_json(now)
            elif current is None:
                continue
            elif now is None:
                self._take_away(current, was=was)
            else:
                self._put_back(current, was=was, now=now)

    def look_at(self, everyone: Iterable[RowState]) -> None:
        """Values that were put into a column since it was added keep it from going, unless they may be lost."""
        for row in everyone:
            for key in list(self.removing):
                value = row.data.get(key)
                if value is None or same(value, self.left.get(row.id, {}).get(key)):
                    continue
                if self._decided(row, key, code="filled_since", value=value) == "keep":
                    self.removing.discard(key)
                    self.columns[key] = self.before[key]

    def take_row(self, row_id: int, *, was: Json | None, now: Json | None) -> None:
        row = self.rows.get(row_id)
        if row is None:
            return
        if was is None:
            if row.deleted:
                data = {key: value for key, value in (now or {}).items() if self._fits(row, key, value)}
                self.plan.contents[row_id] = data
                self.plan.delta.rows.append([row_id, None, data])
        elif now is None:
            if not row.deleted:
                self._take_row_away(row, was=was)
        elif row.deleted:
            self._miss_row(row, now=now)
        else:
            self._put_cells_back(row, was=was, now=now)

    def follow_columns(self, everyone: Iterable[RowState]) -> None:
        """Values of columns that go are recorded; values of columns that change type follow it."""
        gone = {key for key, _, now in self.plan.delta.rows if now is None}
        for row in everyone:
            if row.id in gone:
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

    def _check_names(self) -> None:
        """Refuse names that this would give twice; columns that share one already keep it."""
        holders: dict[str, ColumnSpec] = {}
        for column in self.plan.after:
            other = holders.setdefault(name_key(column.name), column)
            renamed = [each for each in (column, other) if self._is_new_name(each)]
            if other is not column and renamed:
                message = NAME_TAKEN_SINCE(column=column.name)
                self.plan.conflicts.append(Fault(path=f"columns:{column.id}", code="doubled_name", message=message))

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
            if current[key] == was[key] or self._decide("table", key, code="changed_since") == "overwrite":
                back[key] = now[key]
        old = {key: was[key] if key == "deleted" else current[key] for key in back}
        return {"was": old, "now": back} if back else None

    def _take_away(self, current: ColumnSpec, *, was: Json) -> None:
        now = definition(current)
        # A record from before a field of columns existed says nothing about it.
        changed = any(now[key] != value for key, value in was.items())
        if changed and self._decide("columns", current.id, code="column_changed") == "keep":
            return
        self.removing.add(current.id)
        self.columns.pop(current.id)

    def _put_back(self, current: ColumnSpec, *, was: Json, now: Json) -> None:
        fields = definition(current)
        for key, value in now.items():
            if same(fields[key], value):
                continue
            if not same(fields[key], was[key]):
                merged = _merged(key, current=fields[key], was=was[key], now=value)
                if merged is not None:
                    value = merged
                elif self._decide("columns", current.id, code="column_changed") == "keep":
                    continue
            fields[key] = value
            if key in VALUE_KEYS:
                self.retyped.add(current.id)
        self.columns[current.id] = ColumnSpec.from_json({**fields, "position": current.position})

    def _take_row_away(self, row: RowState, *, was: Json) -> None:
        for key in self.before:
            value = row.data.get(key)
            if not same(value, was.get(key)) and self._decided(row, key, code="cell_changed", value=value) == "keep":
                return
        self.plan.delta.rows.append([row.id, dict(row.data), None])

    def _miss_row(self, row: RowState, *, now: Json) -> None:
        """What cannot be put back into a deleted row is told: it would not be there when the row comes back."""
        for key, value in now.items():
            if key in self.columns:
                self._decided(row, key, code="row_deleted", value=value)

    def _miss_column(self, row: RowState, key: str, *, value: Any) -> None:
        """Columns that go by this very undo take their values; those that went before it are told."""
        if value is not None and key not in self.before:
            self._decided(row, key, code="column_removed", value=value)

    def _put_cells_back(self, row: RowState, *, was: Json, now: Json) -> None:
        for key, value in now.items():
            current = row.data.get(key)
            if same(current, value):
                continue
            if key not in self.columns:
                self._miss_column(row, key, value=value)
                continue
            unchanged = same(current, was.get(key))
            if not unchanged and self._decided(row, key, code="cell_changed", value=current) == "keep":
                continue
            if value is None or self._fits(row, key, value):
                self.cells.setdefault(row.id, {})[key] = value

    def _fits(self, row: RowState, key: str, value: Any) -> bool:
        column = self.columns.get(key)
        if column is None:
            self._miss_column(row, key, value=value)
            return False
        try:
            get_column_type(column.type).keep(value, column)
        except ValueFault:
            self._decided(row, key, code="column_changed", value=value)
            return False
        return True

    def _converted(self, row: RowState, key: str, value: Any) -> Any:
        source, target = self.before[key], self.columns[key]
        kind, same_type = get_column_type(target.type), source.type == target.type
        try:
            return kind.keep(value, target) if same_type else kind.convert(value, source=source, target=target)
        except ValueFault:
            said = self._decided(row, key, code="unconvertible", value=value)
            if said == "keep" and same_type and kind.has_options and value in source.options:
                # The option is in use: it stays, with its colour.
                colors = (*target.option_colors, (value, source.colors[value]))
                self.columns[key] = replace(target, options=(*target.options, value), option_colors=colors)
                return value
            return None

    def _decided(self, row: RowState, key: str, *, code: str, value: Any) -> str:
        return self._decide(str(row.id), key, code=code, value=value, row=row)

    def _decide(self, place: str, key: str, *, code: str, value: Any = None, row: RowState | None = None) -> str:
        """What to do with something that changed since; without a decision it is a conflict, and taken as overwrite."""
        path = f"{place}:{key}"
        said = self.decision if isinstance(self.decision, str) else self.decision.get(path, "")
        if said:
            return said
        column = self.before.get(key) or self.columns.get(key)
        name = column.name if column else key
        message = CHANGED_ELSEWHERE(name=name)
        if row is not None:
            message = told_of_row(code, row.data, columns=self.before.values(), column=name)
        self.plan.conflicts.append(Fault(path=path, code=code, message=message, value=value))
        return "overwrite"


def _merged(key: str, *, current: Any, was: Any, now: Any) -> Any:
    """Options or their colours without the change, when others changed them since; None where that cannot be."""
    if key == "options":
        return restored_options(current, was=was, now=now)
    return restored_colors(current, was=was, now=now) if key == "optionColors" else None
