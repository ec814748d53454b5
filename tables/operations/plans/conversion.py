"""Apply a planned change of columns to the values of the rows: convert, map or clear them, and count losses."""
from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from shared.user_messages import declare, declare_plural
from tables.column_types import ColumnSpec, ValueFault, did_you_mean, get_column_type
from tables.column_types.faults import shown
from tables.column_types.moments import loses_time
from tables.column_types.options import options_from
from tables.exceptions import Fault, Invalid
from tables.operations.cells import StoredRow
from tables.operations.changes.delta import same
from tables.operations.plans.planned import Planned
from tables.operations.plans.schema_plan import DEFAULT_CLEARED, SchemaPlan
from tables.operations.proposals.choice import Choice

Json = dict[str, Any]
OPTION_NOT_REMOVED = declare("option_not_removed", "“{option}” is not an option that is being removed.{hint}")
OPTION_NOT_LEFT = declare("option_not_left", "“{option}” is not an option that remains.{hint}")
VALUES_LOST = declare("values_lost", "Values would be lost. Choose what happens to them. Nothing was changed.")
EMPTY_AND_REQUIRED = declare("empty_and_required", "A required column would have empty cells. Nothing was changed.")
UNCONVERTIBLE = declare_plural(
    "unconvertible",
    "1 value cannot be converted; on_unconvertible “clear” clears it.",
    "{count:,} values cannot be converted; on_unconvertible “clear” clears them.",
)
OPTION_IN_USE = declare_plural(
    "option_in_use",
    "1 row has a removed option; on_removed_option sets its new value.",
    "{count:,} rows have a removed option; on_removed_option sets their new value.",
)
CELLS_LOSE_VALUES = declare_plural(
    "cells_lose_values", "1 cell will lose its value.", "{count:,} cells will lose their value."
)
VALUES_CONVERTED = declare_plural(
    "values_converted", "1 value will be converted.", "{count:,} values will be converted."
)
OPTIONS_REPLACED = declare_plural(
    "options_replaced", "1 cell will get another option.", "{count:,} cells will get another option."
)
VALUES_SHORTENED = declare_plural(
    "values_shortened",
    "1 cell will lose part of its value.",
    "{count:,} cells will lose part of their value.",
)
VALUES_DO_NOT_FIT = declare_plural(
    "values_do_not_fit",
    "1 value does not fit the new format and does not change.",
    "{count:,} values do not fit the new format and do not change.",
)
CELLS_EMPTY = declare_plural(
    "cells_empty",
    "1 row has no value in the required column; on_empty_cells “keep” leaves it empty.",
    "{count:,} rows have no value in the required column; on_empty_cells “keep” leaves them empty.",
)
CELLS_BECOME_EMPTY = declare_plural(
    "cells_become_empty",
    "1 row will have no value in the required column.",
    "{count:,} rows will have no value in the required column.",
)
CELLS_STAY_EMPTY = declare_plural(
    "cells_stay_empty",
    "1 row has no value in the required column and does not change.",
    "{count:,} rows have no value in the required column and do not change.",
)
UNDECIDED = {"unconvertible": UNCONVERTIBLE, "option_in_use": OPTION_IN_USE, "empty_cells": CELLS_EMPTY}
Row = TypeVar("Row", bound=StoredRow)
MAX_EXAMPLES = 5
MAX_FAULTS = 100
MAX_PATH_LENGTH = 255


@dataclass
class _Losses:
    """The losses of one column: cells that lose a value, changed cells, and those that still need a decision.

    `emptied` are the cleared cells that have no value left: a list may lose some of its options. `shortened` are
    changed cells that lose part of their value, such as the time of day.
    """

    cleared: int = 0
    emptied: int = 0
    converted: int = 0
    shortened: int = 0
    undecided: dict[str, int] = field(default_factory=dict)
    examples: list[Json] = field(default_factory=list)

    def count(self, row_id: int, *, was: Any, now: Any, is_lost: bool = False) -> None:
        is_lost = is_lost or now is None
        self.emptied += now is None
        if is_lost:
            self.cleared += 1
        else:
            self.converted += 1
        if len(self.examples) < MAX_EXAMPLES or (is_lost and self.cleared <= MAX_EXAMPLES):
            example = {"row_id": row_id, "from": was, "to": now}
            # Lost values are listed before changed ones.
            self.examples.insert(min(self.cleared - 1, len(self.examples)) if is_lost else len(self.examples), example)
            del self.examples[MAX_EXAMPLES:]


class _Misfits:
    """The number of values that are not lost but do not fit the new settings of their column, by column id."""

    def __init__(self, plan: SchemaPlan) -> None:
        before = {column.id: column for column in plan.before}
        self._plan = plan
        self._columns = [
            column
            for column in plan.after
            if (was := before.get(column.id)) and (was.type, was.settings) != (column.type, column.settings)
            if get_column_type(column.type).restricts(column, source=was)
        ]
        self.counts = {column.id: 0 for column in self._columns}

    def count(self, cells: Mapping[str, Any]) -> None:
        for column in self._columns:
            try:
                get_column_type(column.type).check(cells.get(column.id), column)
            except ValueFault:
                self.counts[column.id] += 1

    def report(self) -> None:
        for key, count in self.counts.items():
            if count:
                message = VALUES_DO_NOT_FIT(count=count)
                self._plan.last_operations[key].warn(
                    code="values_do_not_fit", message=message, column=key, value=count
                )


def convert_rows(
    plan: SchemaPlan,
    *,
    rows: Callable[[Sequence[str]], Iterable[Row]],
    empty: Callable[[Sequence[ColumnSpec]], Mapping[str, int]],
    choice: Choice,
) -> list[tuple[Row, Json, Json]]:
    """Return the rows that change, with their cells before and after.

    `rows(ids)` iterates over the rows with a value in one of these columns; `empty(columns)` counts the rows without a
    value in each of these new definitions.
    Losses are noted on the operations that cause them; `refuse_undecided` refuses them on apply. Computed columns have
    no cells to lose, and are converted with their values. Raises Invalid for a decision about options that are not
    removed.
    """
    _check_mapping(plan, mapping=choice.on_removed_option)
    _find_options(plan, rows=rows)
    after = {column.id: column for column in plan.after}
    removed = [column for column in plan.before if column.id not in after and not column.is_computed]
    changed = [(column, after[column.id]) for column in plan.before if _values_change(column, after.get(column.id))]
    losses = {column.id: _Losses() for column in [*removed, *(was for was, _ in changed)]}
    misfits = _Misfits(plan)
    entries: list[tuple[Row, Json, Json]] = []
    read = dict.fromkeys([*losses, *misfits.counts, *plan.copies.values()])
    for row in rows(list(read)) if read else ():
        now = {new: row.data[source] for new, source in plan.copies.items() if row.data.get(source) is not None}
        was: Json = dict.fromkeys(now)
        for column in removed:
            if (value := row.data.get(column.id)) is not None:
                was[column.id], now[column.id] = value, None
                losses[column.id].count(row.id, was=value, now=None)
        for source, target in changed:
            value = row.data.get(source.id)
            if value is None:
                continue
            counted = losses[source.id]
            new = _converted(value, row_id=row.id, source=source, target=target, choice=choice, losses=counted)
            stored = None if source.is_computed else value
            if not same(stored, new):
                was[source.id], now[source.id] = stored, new
        if misfits.counts:
            misfits.count({**row.data, **now})
        if was:
            entries.append((row, was, now))
    _report_losses(plan, losses=losses)
    misfits.report()
    _report_empty_cells(plan, losses=losses, empty=empty, choice=choice)
    return entries


def refuse_undecided(plan: SchemaPlan) -> None:
    """Raise Invalid if values would be lost, or required cells be empty, without a decision."""
    faults = tuple(
        Fault.from_json(note, path=f"operations[{each.index}]")
        for each in plan.planned
        for note in each.notes
        if note["code"] in UNDECIDED
    )
    if faults:
        loses = any(fault.code != "empty_cells" for fault in faults)
        raise Invalid(VALUES_LOST() if loses else EMPTY_AND_REQUIRED(), faults=faults)


def _check_mapping(plan: SchemaPlan, *, mapping: str | Mapping[str, str]) -> None:
    """Raise Invalid for a decision about an option that is not removed, or one that maps to a removed option."""
    if isinstance(mapping, str):
        return
    after = {column.id: column for column in plan.after}
    remaining: dict[str, list[str]] = {}
    for was in plan.before:
        now = after.get(was.id)
        for option in was.options if now is not None and now.type == was.type else ():
            if now is not None and option not in now.options:
                remaining.setdefault(option, []).extend(now.options)
    faults = []
    for option, replacement in mapping.items():
        refused = option
        if option not in remaining:
            message = OPTION_NOT_REMOVED(option=shown(option), hint=did_you_mean(option, remaining))
        elif replacement not in remaining[option]:
            hint = did_you_mean(replacement, dict.fromkeys(remaining[option]))
            message, refused = OPTION_NOT_LEFT(option=shown(replacement), hint=hint), replacement
        else:
            continue
        path = f"on_removed_option.{option[:MAX_PATH_LENGTH]}"
        faults.append(Fault(path=path, code="unknown_option", message=message, value=refused[:MAX_PATH_LENGTH]))
    if faults:
        raise Invalid(faults[0].message, faults=faults, most=MAX_FAULTS)


def _values_change(was: ColumnSpec, now: ColumnSpec | None) -> bool:
    if now is None or (was.is_computed and now.is_computed):
        return False
    if was.value_form != now.value_form or set(was.options) - set(now.options):
        return True
    # Lists have the order of the options.
    known = set(was.options)
    return get_column_type(now.type).has_lists and [each for each in now.options if each in known] != list(was.options)


def _is_only_reordered(value: Any, new: Any, *, source: ColumnSpec, target: ColumnSpec) -> bool:
    kind = get_column_type(target.type)
    same_type = source.type == target.type and kind.has_lists and new is not None
    return same_type and set(kind.options_of(value)) == set(kind.options_of(new))


def _converted(
    value: Any, *, row_id: int, source: ColumnSpec, target: ColumnSpec, choice: Choice, losses: _Losses
) -> Any:
    """Return the value in the new column, and count it if it changes."""
    new, is_lost = _new_value(value, source=source, target=target, choice=choice, losses=losses)
    if not same(value, new):
        if is_lost or not _is_only_reordered(value, new, source=source, target=target):
            losses.count(row_id, was=value, now=new, is_lost=is_lost)
        losses.shortened += _is_shortened(value, new, source=source, target=target)
    return new


def _new_value(
    value: Any, *, source: ColumnSpec, target: ColumnSpec, choice: Choice, losses: _Losses
) -> tuple[Any, bool]:
    """Return the value in the new column, and whether some or all of it is lost."""
    kind = get_column_type(target.type)
    try:
        if source.value_form == target.value_form:
            return kind.check(value, target), False
        return kind.convert(value, source=source, target=target), False
    except ValueFault:
        pass
    if source.value_form != target.value_form:
        if choice.on_unconvertible != "clear":
            losses.undecided["unconvertible"] = losses.undecided.get("unconvertible", 0) + 1
        return None, True
    mapping, removed = choice.on_removed_option, [each for each in kind.options_of(value) if each not in target.options]
    replaced = {} if isinstance(mapping, str) else {option: mapping.get(option) for option in removed}
    if mapping != "clear" and not (replaced and all(new in target.options for new in replaced.values())):
        losses.undecided["option_in_use"] = losses.undecided.get("option_in_use", 0) + 1
    replaced = {option: new if (new := replaced.get(option)) in target.options else None for option in removed}
    is_lost = None in replaced.values()
    return kind.replace_options(value, replaced=replaced, column=target), is_lost


def _is_shortened(value: Any, new: Any, *, source: ColumnSpec, target: ColumnSpec) -> bool:
    """Return whether a value loses its time or seconds, its files, or what another format of its type cannot have."""
    if new is None or source.value_form == target.value_form:
        return False
    kind = get_column_type(source.type)
    if source.type == target.type:
        return not same(value, kind.convert(new, source=target, target=source))
    if get_column_type(target.type).has_days and isinstance(new, str):
        return loses_time(kind.text_in(value, source), stored=new, zone=target.zone)
    return kind.has_files


def _find_options(plan: SchemaPlan, *, rows: Callable[[Sequence[str]], Iterable[StoredRow]]) -> None:
    """Use the values of columns that become select columns as their options. Too many values are a fault."""
    before = {column.id: column for column in plan.before}
    for column in plan.after:
        if column.id not in plan.open_options or column.options or column.id not in before:
            continue
        source, planned = before[column.id], plan.last_operations[column.id]
        kind, target = get_column_type(source.type), get_column_type(column.type)
        stored = rows([column.id])
        values = (value for row in stored if (value := row.data.get(column.id)) is not None)
        names = (name for value in values for name in target.option_names(value, source=source))
        try:
            found = replace(column, options=options_from(names))
            if source.default is not None and found.default == kind.text_in(source.default, source):
                found = _with_default(found, planned=planned)
            plan.replace_column(get_column_type(column.type).check_definition(found))
        except ValueFault as fault:
            for each in fault.all:
                path = f"operations[{planned.index}].changes.{each.part or 'options'}"
                planned.fail(code=each.code, message=each.in_column(column.name), path=path)
        finally:
            # Not all rows are read if there are too many values. The garbage collector would close the cursor of
            # PostgreSQL in a later transaction, which fails.
            if isinstance(stored, Generator):
                stored.close()


def _with_default(found: ColumnSpec, *, planned: Planned) -> ColumnSpec:
    """Return the column with its earlier default, if that is one of the options found."""
    try:
        return replace(found, default=get_column_type(found.type).cast(found.default, found).value)
    except ValueFault:
        planned.warn(code="default_cleared", message=DEFAULT_CLEARED())
        return replace(found, default=None)


def _report_losses(plan: SchemaPlan, *, losses: dict[str, _Losses]) -> None:
    types = {column.id: column.type for column in plan.before}
    for key, each in losses.items():
        planned = plan.last_operations[key]
        planned.losses = {"cleared": each.cleared, "converted": each.converted, "examples": each.examples}
        for code, count in each.undecided.items():
            planned.warn(code=code, message=UNDECIDED[code](count=count), column=key, value=count)
        if each.cleared and not each.undecided:
            planned.warn(code="values_lost", message=CELLS_LOSE_VALUES(count=each.cleared), column=key)
        if each.converted:
            target = planned.column
            replaces_options = (
                target is not None and target.type == types[key] and get_column_type(target.type).has_options
            )
            message = (OPTIONS_REPLACED if replaces_options else VALUES_CONVERTED)(count=each.converted)
            planned.warn(code="values_converted", message=message, column=key, value=each.converted)
        if each.shortened:
            message = VALUES_SHORTENED(count=each.shortened)
            planned.warn(code="values_shortened", message=message, column=key, value=each.shortened)


def _report_empty_cells(
    plan: SchemaPlan,
    *,
    losses: dict[str, _Losses],
    empty: Callable[[Sequence[ColumnSpec]], Mapping[str, int]],
    choice: Choice,
) -> None:
    """Note how many cells of required columns are empty: of those that become required, and those that lose values.

    A copy may have the empty cells of its source, and what may be lost is decided already.
    """
    after = {column.id: column for column in plan.after}
    required = {
        each.column_id: each for each in plan.planned if each.new.get("required") is True and each.column_id in after
    }
    sources = {column.id: column for column in plan.before if column.id in plan.copies.values()}
    filled = {key: sources[plan.copies[key]] if key in plan.copies else after[key] for key in required}
    empties = empty(list(filled.values())) if filled else {}
    for key, planned in required.items():
        count = empties.get(filled[key].id, 0) + (losses[key].emptied if key in losses else 0)
        if count and (key in plan.copies or choice.on_empty_cells == "keep"):
            planned.note(code="stays_empty", message=CELLS_STAY_EMPTY(count=count), column=key, value=count)
        elif count:
            planned.warn(code="empty_cells", message=CELLS_EMPTY(count=count), column=key, value=count)
    for key, lost in losses.items():
        if lost.emptied and not lost.undecided and key in after and after[key].required and key not in required:
            message = CELLS_BECOME_EMPTY(count=lost.emptied)
            plan.last_operations[key].note(code="stays_empty", message=message, column=key, value=lost.emptied)
