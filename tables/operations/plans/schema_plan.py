"""Plan the chosen column operations against the current table. `conversion` plans the values."""
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shared.user_messages import Message, declare
from tables.column_types import ColumnSpec, TableShape, ValueFault, get_column_type, name_key
from tables.column_types.limits import LIMITS
from tables.column_types.settings import changed_settings
from tables.exceptions import Invalid
from tables.operations.body_reader import Form
from tables.operations.changes.delta import Delta, restore_numbers
from tables.operations.columns import Order, definition, difference, numbered, public_changes
from tables.operations.plans.planned import Planned, add_unresolved
from tables.operations.plans.schema_edits import read_edit
from tables.operations.proposals.choice import Choice
from tables.operations.proposals.definitions import read_table_name

Json = dict[str, Any]
# A field of a column and the place within it, such as `options[1]`.
FIELD = re.compile(r"^(\w*)(.*)$", re.DOTALL)
NEEDS_OPERATION = declare(
    "needs_operation", "This needs operation {operation}, which adds the column. Choose it too."
)
COLUMN_MISSING = declare("column_missing", "The column no longer exists.")
COPIED_COLUMN_MISSING = declare("copied_column_missing", "The column to copy no longer exists.")
PRECEDING_COLUMN_MISSING = declare("preceding_column_missing", "The preceding column no longer exists.")
COLUMN_CHANGED = declare("column_changed", "The column {column} was changed since.")
COLUMN_FIELD_CHANGED = declare("column_field_changed", "The {field} of {column} was changed since.")
COLUMN_EXISTS = declare("column_exists", "This column was already added.")
COLUMN_NAME_TAKEN = declare("column_name_taken", "A column “{name}” already exists.")
COLUMN_UNCHANGED = declare("column_unchanged", "The column already has these settings.")
COLUMN_IN_PLACE = declare("column_in_place", "The column is already at this position.")
COLUMN_IS_COPY = declare(
    "column_is_copy", "{column} is being added as a copy; its type and options can be changed after that."
)
TYPE_NOT_INSTALLED = declare("type_not_installed", "{column}: the app for values of type “{type}” is not installed.")
TOO_MANY_COLUMNS = declare("too_many_columns", "A table can have at most {count} columns.")
NO_COLUMNS = declare("no_columns", "A new table needs at least one column.")
DEFAULT_CLEARED = declare("default_cleared", "The default does not fit the new type and is cleared.")


@dataclass
class SchemaPlan:
    """`before` and `after` are the columns in order.

    `last_operations` is the last operation on each changed column, by column id. `open_options` are columns that become
    select columns with their values as options. `copies` are new columns that start with the values of another one.
    """

    planned: list[Planned]
    before: tuple[ColumnSpec, ...]
    after: tuple[ColumnSpec, ...]
    table: Json | None
    last_operations: dict[str, Planned] = field(default_factory=dict)
    open_options: set[str] = field(default_factory=set)
    copies: dict[str, str] = field(default_factory=dict)

    def delta(self) -> Delta:
        """Return the changes of definitions; those of rows are planned by `conversion`."""
        was = {column.id: column for column in self.before}
        now = {column.id: column for column in self.after}
        delta = Delta(table=self.table)
        for key in [*was, *(key for key in now if key not in was)]:
            if key not in now:
                delta.columns.append([key, definition(was[key]), None])
            elif key not in was:
                delta.columns.append([key, None, definition(now[key])])
            else:
                old, new = difference(was[key], now[key])
                if old:
                    delta.columns.append([key, old, new])
        if list(was) != list(now):
            delta.order = {"was": list(was), "now": list(now)}
        return delta

    def replace_column(self, column: ColumnSpec) -> None:
        """Use this definition, which was completed from the values of the rows."""
        self.after = tuple(column if each.id == column.id else each for each in self.after)
        self.last_operations[column.id].column = column


def plan_schema(*, shape: TableShape, prepared: Json, choice: Choice) -> SchemaPlan:
    """Plan the chosen operations. Raises Malformed for edits that cannot be read."""
    form = Form()
    table = _table(shape, prepared=prepared, choice=choice, form=form)
    prepared = restore_numbers(prepared)
    chosen = {operation["index"] for operation in choice.chosen(prepared)}
    planner = _Planner(shape=shape, choice=choice)
    for operation in prepared["operations"]:
        if operation["index"] in chosen:
            planner.plan_operation(operation, edit=choice.edits.get(operation["index"]) or {}, form=form)
        elif operation["action"] == "add":
            planner.add_anchor(operation)
    if form.faults:
        _add_faults(form, planner=planner, table=table)
    form.refuse()
    return planner.finish(table)


def _add_faults(form: Form, *, planner: _Planner, table: Json | None) -> None:
    """Add the faults of the operations to the form, whose own faults are of edits."""
    try:
        add_unresolved(form, planner.finish(table).planned)
    except Invalid as error:
        form.add_further(error)


def _table(shape: TableShape, *, prepared: Json, choice: Choice, form: Form) -> Json | None:
    name = prepared["table_name"]
    if choice.table_name is not None:
        name = read_table_name(choice.table_name, path="table_name", form=form)
    description = prepared["table_description"] if choice.table_description is None else choice.table_description
    if shape.id is None:
        return {"was": {"deleted": True}, "now": {"name": name, "description": description or "", "deleted": False}}
    now = {"name": name, "description": description}
    was = {"name": shape.name, "description": shape.description}
    changed = [key for key in now if now[key] is not None and now[key] != was[key]]
    return {"was": {key: was[key] for key in changed}, "now": {key: now[key] for key in changed}} if changed else None


class _Planner:
    def __init__(self, *, shape: TableShape, choice: Choice) -> None:
        self.create = shape.id is None
        self.zone, self.people = shape.zone, shape.people
        self.choice = choice
        self.before = {column.id: column for column in shape.columns}
        self.columns = dict(self.before)
        self.order = Order(self.columns)
        self.not_chosen: dict[str, int] = {}
        self.removed: set[str] = set()
        self.planned: list[Planned] = []
        self.last_operations: dict[str, Planned] = {}
        self.names: dict[str, Planned] = {}
        self.open_options: set[str] = set()
        self.copies: dict[str, str] = {}

    def add_anchor(self, operation: Json) -> None:
        """Add the position of a new column that was not chosen, because others may be placed after it."""
        column_id = operation["column"]["id"]
        self.not_chosen[column_id] = operation["index"]
        self.order.add(column_id, after=operation.get("after_column_id"))

    def plan_operation(self, operation: Json, *, edit: Json, form: Form) -> None:
        action = operation["action"]
        planned = Planned(index=operation["index"], action=action, reason=operation.get("reason", ""))
        self.planned.append(planned)
        fields = read_edit(edit, planned=planned, form=form)
        if action == "add":
            self._add(operation, planned=planned, fields=fields)
            return
        planned.column_id = operation["column_id"]
        column = self.columns.get(planned.column_id)
        if planned.column_id in self.not_chosen:
            needed = self.not_chosen[planned.column_id]
            planned.fail(code="depends_on", message=NEEDS_OPERATION(operation=needed), value=needed)
        elif column is None:
            planned.conflict(code="column_removed", message=COLUMN_MISSING())
            planned.skipped = "column_removed" if self.choice.at_conflict(planned.index) else ""
        elif action == "modify":
            self._modify(operation, planned=planned, fields=fields, column=column)
        elif action == "remove":
            self._remove(operation, planned=planned, column=column)
        else:
            self._reorder(operation, planned=planned, column=column)

    def finish(self, table: Json | None) -> SchemaPlan:
        after = numbered(self.columns[key] for key in self.order.live_ids(self.columns))
        self._check_names(after)
        if len(after) > LIMITS.columns:
            last = next(each for each in reversed(self.planned) if each.action == "add")
            last.fail(code="too_many_columns", message=TOO_MANY_COLUMNS(count=LIMITS.columns))
        if self.create and not after:
            raise Invalid(NO_COLUMNS(), code="no_columns")
        positioned = {column.id: column for column in after}
        for planned in self.planned:
            if planned.action != "remove" and planned.column_id in positioned:
                planned.column = positioned[planned.column_id]
                if planned.action == "add" and planned.new:
                    planned.new["position"] = planned.column.position
        return SchemaPlan(
            planned=self.planned,
            before=tuple(self.before.values()),
            after=after,
            table=table,
            last_operations=self.last_operations,
            open_options=self.open_options,
            copies=self.copies,
        )

    def _add(self, operation: Json, *, planned: Planned, fields: Json) -> None:
        column = ColumnSpec.from_json(_with_fields(operation["column"], fields), zone=self.zone, people=self.people)
        planned.column_id = column.id
        if column.id in self.before:
            planned.fail(code="exists_already", message=COLUMN_EXISTS())
            return
        if "copy_of" in operation:
            self._copy(operation["copy_of"], column=column, planned=planned)
            if planned.state == "conflict":
                return
        column = self._checked(column, planned=planned)
        planned.new = column.as_json()
        self._set_column(column, planned=planned, named=True)
        self.order.add(column.id, after=operation.get("after_column_id"))

    def _copy(self, source_id: str, *, column: ColumnSpec, planned: Planned) -> None:
        """Copy the values of another column, which must have the same type and options as when it was proposed."""
        source = self.before.get(source_id)
        if source is None:
            planned.conflict(code="column_removed", message=COPIED_COLUMN_MISSING())
        elif (source.value_form, source.options) != (column.value_form, column.options):
            planned.conflict(code="column_changed", message=COLUMN_CHANGED(column=source.name))
        else:
            if not column.is_computed:
                self.copies[column.id] = source_id
            return
        planned.skipped = planned.notes[-1]["code"] if self.choice.at_conflict(planned.index) else ""

    def _modify(self, operation: Json, *, planned: Planned, fields: Json, column: ColumnSpec) -> None:
        changes = operation["changes"] | fields
        if "settings" in fields:
            changes["settings"] = operation["changes"].get("settings", {}) | fields["settings"]
        if self._has_changed(column, known=operation["before"], changes=changes, planned=planned):
            return
        colors = self._colors(column, changes=changes)
        fields = _with_fields(definition(column), changes | {"optionColors": colors})
        target = ColumnSpec.from_json(fields, zone=column.zone, people=column.people)
        if target.value_form != column.value_form:
            target = self._with_type(column, target=target, changes=changes, planned=planned)
        elif get_column_type(target.type).has_options and target.default is not None and "default" not in changes:
            target = replace(target, default=self._mapped(target))
        elif "default" not in changes and get_column_type(target.type).restricts(target, source=column):
            target = self._with_fitting_default(target, planned=planned)
        target = self._checked(target, planned=planned)
        self._refuse_missing_type(target, changes=changes, planned=planned)
        self._refuse_changed_copy(column, target=target, planned=planned)
        was, new = difference(column, target)
        planned.old, planned.new = public_changes(was, new, type_name=target.type)
        if not new and planned.state == "ok":
            planned.mark_noop(COLUMN_UNCHANGED())
        self._set_column(target, planned=planned, named="name" in changes)

    def _refuse_missing_type(self, target: ColumnSpec, *, changes: Json, planned: Planned) -> None:
        """Refuse a default or options of a type that is not installed, because they cannot be checked."""
        if get_column_type(target.type).registered:
            return
        for key in ("default", "options"):
            if key in changes:
                message = TYPE_NOT_INSTALLED(column=target.name, type=target.type)
                planned.fail(code="type_not_available", message=message, path=planned.path_of("changes", key))

    def _refuse_changed_copy(self, column: ColumnSpec, *, target: ColumnSpec, planned: Planned) -> None:
        """Refuse a type, a setting or options that the copied values do not fit."""
        differs = {
            "type": target.type != column.type,
            "settings": target.value_form != column.value_form,
            "options": target.options != column.options,
        }
        for key in differs if column.id in self.copies else ():
            if differs[key]:
                path = planned.path_of("changes", key)
                planned.fail(code="copied", message=COLUMN_IS_COPY(column=column.name), path=path)
                return

    def _with_type(self, column: ColumnSpec, *, target: ColumnSpec, changes: Json, planned: Planned) -> ColumnSpec:
        """Return the definition with another type, with its options and default where they fit."""
        had_options = get_column_type(column.type).has_options
        if "options" not in changes and not (had_options and get_column_type(target.type).has_options):
            target = replace(target, options=())
        if get_column_type(target.type).has_options and not target.options:
            self.open_options.add(column.id)
        if target.default is None or "default" in changes:
            return target
        if column.id in self.open_options:
            # The default is checked when the options are known.
            return replace(target, default=get_column_type(column.type).text_in(target.default, column))
        try:
            kind = get_column_type(target.type)
            default = kind.convert(target.default, source=column, target=target)
            return self._with_fitting_default(replace(target, default=default), planned=planned)
        except ValueFault:
            planned.warn(code="default_cleared", message=DEFAULT_CLEARED())
            return replace(target, default=None)

    def _with_fitting_default(self, target: ColumnSpec, *, planned: Planned) -> ColumnSpec:
        """Return the definition without its default, if that does not fit the new settings."""
        try:
            get_column_type(target.type).cast(target.default, target)
        except ValueFault:
            planned.warn(code="default_cleared", message=DEFAULT_CLEARED())
            return replace(target, default=None)
        return target

    def _colors(self, column: ColumnSpec, *, changes: Json) -> dict[str, str]:
        """Return the option colours before they are completed. The colour of a renamed option does not change."""
        colors, options, mapping = dict(column.colors), changes.get("options"), self.choice.on_removed_option
        if options is not None and not isinstance(mapping, str):
            renamed = {old: new for old, new in mapping.items() if old not in options and new not in column.options}
            colors |= {new: colors[old] for old, new in renamed.items() if old in colors}
        colors |= changes.get("optionColors", {})
        return colors

    def _mapped(self, target: ColumnSpec) -> Any:
        """Return the default with other options in place of removed ones."""
        kind, mapping = get_column_type(target.type), self.choice.on_removed_option
        removed = [option for option in kind.options_of(target.default) if option not in target.options]
        replaced = {option: None if isinstance(mapping, str) else mapping.get(option) for option in removed}
        return kind.replace_options(target.default, replaced=replaced, column=target)

    def _remove(self, operation: Json, *, planned: Planned, column: ColumnSpec) -> None:
        known = {"type": operation["before"]["type"], **operation.get("expected", {})}
        if self._has_changed(column, known=known, changes={}, planned=planned):
            return
        planned.old = column.as_json()
        planned.column = column
        self.columns.pop(column.id)
        self.copies.pop(column.id, None)
        self.last_operations[column.id] = planned

    def _reorder(self, operation: Json, *, planned: Planned, column: ColumnSpec) -> None:
        after = operation.get("after_column_id")
        if after is not None and after not in self.order.ids:
            planned.conflict(code="column_removed", message=PRECEDING_COLUMN_MISSING())
            planned.skipped = "column_removed" if self.choice.at_conflict(planned.index) else ""
            return
        planned.new, planned.old = {"after_column_id": after}, dict(operation["before"])
        order_before = self.order.live_ids(self.columns)
        self.order.move(column.id, after=after)
        if self.order.live_ids(self.columns) == order_before:
            planned.mark_noop(COLUMN_IN_PLACE())

    def _has_changed(self, column: ColumnSpec, *, known: Json, changes: Json, planned: Planned) -> bool:
        """Report fields of a column that differ from the known ones; return whether the operation is not executed.

        A field that already has its new value has not changed.
        """
        before = self.before.get(column.id)
        now = {**definition(before), "settings": before.used_settings} if before else {}
        for key, value in known.items() if now else ():
            current = now[key]
            if key in ("optionColors", "settings"):
                current = {name: each for name, each in current.items() if name in value}
            if current not in (value, changes.get(key, value)):
                self._report_change(planned, message=COLUMN_FIELD_CHANGED(field=key, column=column.name))
        return bool(planned.skipped) or planned.state == "conflict"

    def _report_change(self, planned: Planned, *, message: Message) -> None:
        if self.choice.at_conflict(planned.index) == "overwrite":
            planned.warn(code="column_changed", message=message)
            return
        planned.conflict(code="column_changed", message=message)
        if self.choice.at_conflict(planned.index) == "skip":
            planned.skipped = "column_changed"

    def _checked(self, column: ColumnSpec, *, planned: Planned) -> ColumnSpec:
        if column.id in self.open_options and not column.options:
            return column
        try:
            return get_column_type(column.type).check_definition(column)
        except ValueFault as fault:
            part = "column" if planned.action == "add" else "changes"
            for each in fault.all:
                field, rest = FIELD.findall(each.part)[0]
                path = planned.path_of(part, field) + rest if field else f"{planned.path}.{part}"
                planned.fail(code=each.code, message=each.in_column(column.name), path=path)
            return column

    def _set_column(self, column: ColumnSpec, *, planned: Planned, named: bool) -> None:
        self.columns[column.id] = column
        self.last_operations[column.id] = planned
        if named:
            self.names[column.id] = planned

    def _check_names(self, after: Sequence[ColumnSpec]) -> None:
        """Refuse duplicate names in the result, so that two columns may swap names. Later operations are at fault."""
        holders: dict[str, list[str]] = {}
        for column in after:
            holders.setdefault(name_key(column.name), []).append(column.id)
        for ids in holders.values():
            namings = sorted((self.names[key] for key in ids if key in self.names), key=lambda planned: planned.index)
            # The first one may use the name, unless another column has it already.
            is_free = len(namings) == len(ids)
            for planned in namings[1 if is_free else 0 :] if len(ids) > 1 else ():
                path = planned.path_of("column" if planned.action == "add" else "changes", "name")
                message = COLUMN_NAME_TAKEN(name=self.columns[ids[0]].name)
                planned.fail(code="doubled_name", message=message, path=path)


def _with_fields(definition: Json, fields: Json) -> Json:
    """Return a definition with changed fields, among them some of its settings. Settings belong to one type."""
    whole = definition | fields
    if "settings" not in fields and whole["type"] == definition["type"]:
        return whole
    changes = fields.get("settings", {})
    settings = definition["settings"] if whole["type"] == definition["type"] else {}
    return whole | {"settings": changed_settings(whole["type"], stored=settings, changes=changes)}
