"""Target columns of the columns of a file, and what still prevents the import."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from zoneinfo import ZoneInfo

from shared.user_messages import declare
from tables.column_types import ColumnSpec, TableShape, ValueFault, get_column_type, name_key
from tables.column_types.limits import LIMITS
from tables.column_types.options import options_from
from tables.exceptions import Fault, Invalid

Json = dict[str, Any]
NO_COLUMN_CHOSEN = declare("no_column_chosen", "Choose at least one column.")
TOO_MANY_COLUMNS_TOGETHER = declare(
    "too_many_columns_together", "A table can have at most {limit:,} columns; this one would have {count:,}."
)
AMBIGUOUS_DATES = declare(
    "ambiguous_dates", "Choose the date format of “{column}”: day first or month first."
)
TARGET_REMOVED = declare("target_removed", "The target column of “{column}” was deleted.")
DOUBLED_TARGET = declare("doubled_target", "Two file columns are imported into “{column}”. Change one of them.")
DOUBLED_NAME = declare(
    "doubled_name",
    "Two columns are named “{column}”. Rename one, or import it into the existing column.",
)
KEY_NOT_FILLED = declare(
    "key_not_filled", "Rows are matched by “{column}”, but no file column is imported into it."
)
KEY_REMOVED = declare("key_removed", "A column used to match rows was deleted.")
REQUIRED_NOT_FILLED = declare(
    "required_not_filled", "“{column}” is required: choose a file column for it."
)
NO_VALUES_FOR_OPTIONS = declare(
    "no_values_for_options", "there are no values to use as options; choose the type Text."
)
OF_FILE_COLUMN = declare("of_file_column", "“{column}”: {fault}")
ROW_NUMBERS = {"delimited": "line", "spreadsheet": "row", "records": "record"}


@dataclass(frozen=True)
class Target:
    """A column of the file and its target. `collects`: the values become the options of the new column."""

    index: int
    column: ColumnSpec
    form: str = ""
    new: bool = False
    collects: bool = False

    def as_json(self) -> Json:
        """Return the stored form."""
        return {"index": self.index, "column": self.column.as_json(), "form": self.form, "new": self.new,
                "collects": self.collects}  # fmt: skip

    @classmethod
    def from_json(cls, stored: Json) -> Target:
        """Return the target that `as_json` wrote."""
        return cls(**{**stored, "column": ColumnSpec.from_json(stored["column"])})


def read_targets(choices: Json, *, shape: TableShape | None, new_id: Callable[[], str]) -> list[Target]:
    """Return the targets of the included columns. Raises Invalid with everything that prevents the import."""
    faults: list[Fault] = []
    zone = ZoneInfo(choices.get("time_zone", "UTC"))
    targets = [
        target
        for column in choices["columns"]
        if column["include"]
        if (target := _target(column, shape=shape, new_id=new_id, faults=faults)) is not None
    ]
    targets = [replace(target, column=replace(target.column, zone=zone)) for target in targets]
    if not targets and not faults:
        faults.append(Fault(path="columns", code="empty", message=NO_COLUMN_CHOSEN()))
    faults += _duplicate_faults(targets, shape=shape)
    total = len(shape.columns if shape else ()) + sum(target.new for target in targets)
    if total > LIMITS.columns:
        message = TOO_MANY_COLUMNS_TOGETHER(limit=LIMITS.columns, count=total)
        faults.append(Fault(path="columns", code="too_many_columns", message=message))
    faults += _unfilled_faults(targets, shape=shape, merge_on=choices["merge_on"])
    if faults:
        raise Invalid(faults[0].message, code="undecided", faults=tuple(faults[:100]))
    return targets


def _target(
    column: Json, *, shape: TableShape | None, new_id: Callable[[], str], faults: list[Fault]
) -> Target | None:
    path = f"columns[{column['index']}]"
    if column["form"] is None:
        message = AMBIGUOUS_DATES(column=column["name"])
        faults.append(Fault(path=f"{path}.form", code="ambiguous_dates", message=message))
    if column["into"] is not None:
        existing = shape.column(column["into"]) if shape else None
        if existing is None:
            message = TARGET_REMOVED(column=column["name"])
            faults.append(Fault(path=f"{path}.into", code="unknown_column", message=message))
            return None
        return Target(column["index"], existing, form=column["form"])
    kind = get_column_type(column["type"])
    # Imports that were examined by an earlier release have no settings.
    settings = tuple(column.get("settings", {}).items())
    options = tuple(column["options"] or ())
    colors = {option: color for option, color in column.get("colors", {}).items() if option in options}
    wanted = ColumnSpec(
        new_id(), column["name"], column["type"], options=options, option_colors=tuple(colors.items()),
        settings=settings,
    )  # fmt: skip
    wanted = replace(wanted, people=shape.people) if shape else wanted
    collects = kind.has_options and not wanted.options
    checked = wanted
    try:
        checked = wanted if collects else kind.check_definition(wanted)
    except ValueFault as fault:
        for each in fault.all:
            part = f".{each.part}" if each.part else ""
            faults.append(Fault(path=f"{path}{part}", code=each.code, message=each.message))
    return Target(column["index"], checked, form=column["form"], new=True, collects=collects)


def _duplicate_faults(targets: list[Target], *, shape: TableShape | None) -> list[Fault]:
    """Return faults for two columns with the same target, and for new columns with a name that exists."""
    faults = []
    into: dict[str, int] = {}
    names = {name_key(column.name): column.name for column in (shape.columns if shape else ())}
    for target in targets:
        path = f"columns[{target.index}]"
        if not target.new:
            if target.column.id in into:
                message = DOUBLED_TARGET(column=target.column.name)
                faults.append(Fault(path=f"{path}.into", code="doubled_column", message=message))
            into[target.column.id] = target.index
        elif name_key(target.column.name) in names:
            message = DOUBLED_NAME(column=target.column.name)
            faults.append(Fault(path=f"{path}.name", code="doubled_name", message=message))
        names[name_key(target.column.name)] = target.column.name
    return faults


def _unfilled_faults(targets: list[Target], *, shape: TableShape | None, merge_on: list[str]) -> list[Fault]:
    """Return faults for required and key columns that have no column of the file."""
    if shape is None:
        return []
    filled = {target.column.id for target in targets}
    faults = []
    for column_id in merge_on:
        column = shape.column(column_id)
        if column is None or column_id not in filled:
            message = KEY_NOT_FILLED(column=column.name) if column else KEY_REMOVED()
            faults.append(Fault(path="merge_on", code="key_not_filled", message=message))
    for column in shape.columns:
        required = column.required and column.default is None and get_column_type(column.type).registered
        if required and column.id not in filled and not merge_on:
            message = REQUIRED_NOT_FILLED(column=column.name)
            faults.append(Fault(path="columns", code="required", message=message))
    return faults


def with_options(target: Target, *, values: list[str]) -> Target:
    """Return the target with these values as its options. Raises Invalid."""
    try:
        if not values:
            raise ValueFault("options_needed", NO_VALUES_FOR_OPTIONS())
        options = options_from(values)
    except ValueFault as fault:
        message = OF_FILE_COLUMN(column=target.column.name, fault=fault.message)
        faults = (Fault(f"columns[{target.index}].type", fault.code, message=message),)
        raise Invalid(message, code=fault.code, faults=faults) from None
    return replace(target, column=replace(target.column, options=options), collects=False)
