"""Fields of column definitions that an undo restores although the column has changed since."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tables.column_types import ColumnSpec, ValueFault, get_column_type
from tables.operations.changes.delta import same
from tables.operations.columns import definition, restored_colors, restored_options

Json = dict[str, Any]
# What a column has instead of a field that its restored type does not accept.
NEUTRAL_FIELDS: Json = {"required": False, "default": None, "options": [], "settings": {}}
DIRECT_PARTS = {"required", "default", "options"}


def merged_field(key: str, *, current: Any, was: Any, now: Any) -> Any:
    """Return options or colours that changed again since, without the change to undo; None if that is impossible."""
    if key == "options":
        return restored_options(current, was=was, now=now)
    return restored_colors(current, was=was, now=now) if key == "optionColors" else None


def fitting_column(fields: Json, *, current: ColumnSpec, decide: Callable[[], str]) -> ColumnSpec:
    """Return the column with restored fields. Fields that do not fit together are a conflict, which `decide` decides.

    A restored field that the column does not accept any more stays as it is now. If a field that was set since does
    not fit, "skip" leaves the column as it is, and "overwrite" empties the field, also all if the type is restored.
    """

    def column() -> ColumnSpec:
        specified = {**fields, "position": current.position}
        return ColumnSpec.from_json(specified, zone=current.zone, people=current.people)

    restored, now = column(), definition(current)
    is_retyped, decision = restored.type != current.type, ""
    while unfit := _unfit_fields(restored, current=current):
        decision = decision or decide()
        kept = set() if is_retyped else {key for key in unfit if not same(fields[key], now[key])}
        if not kept and decision == "skip":
            return current
        fields |= {key: now[key] for key in kept} if kept else {key: NEUTRAL_FIELDS[key] for key in unfit}
        previous, restored = restored, column()
        if restored == previous:
            break
    return restored


def _unfit_fields(restored: ColumnSpec, *, current: ColumnSpec) -> set[str]:
    """Return the fields of a restored definition that its type does not accept, and that were not invalid before."""
    return _invalid_fields(restored) - (_invalid_fields(current) if restored.type == current.type else set())


def _invalid_fields(column: ColumnSpec) -> set[str]:
    kind = get_column_type(column.type)
    if not kind.registered:
        return set()
    try:
        checked = kind.check_definition(column)
    except ValueFault as fault:
        parts = [each.part for each in fault.all]
        return {part if part in DIRECT_PARTS else "settings" for part in parts}
    # A definition is checked with its default converted, which a stored one is already.
    return set() if same(checked.default, column.default) else {"default"}
