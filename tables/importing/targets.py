"""Where each column of a file goes, once everything is decided; and what is not decided yet, or cannot be."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tables.column_types import ColumnSpec, TableShape, ValueFault, get_column_type, name_key
from tables.column_types.limits import LIMITS
from tables.column_types.select import options_from
from tables.exceptions import Fault, Invalid

Json = dict[str, Any]
ROW_NUMBERS = {"delimited": "line", "spreadsheet": "row", "records": "record"}


@dataclass(frozen=True)
class Target:
    """A column of the file and the one it is written to. `collects`: its options are the values that are met."""

    index: int
    column: ColumnSpec
    form: str = ""
    new: bool = False
    collects: bool = False

    def as_json(self) -> Json:
        """The form it is kept in."""
        return {"index": self.index, "column": self.column.as_json(), "form": self.form, "new": self.new,
                "collects": self.collects}  # fmt: skip

    @classmethod
    def from_json(cls, kept: Json) -> Target:
        """What `as_json` wrote."""
        return cls(**{**kept, "column": ColumnSpec.from_json(kept["column"])})


def targets_of(choices: Json, *, shape: TableShape | None, new_id: Callable[[], str]) -> list[Target]:
    """The columns that are taken. Raises Invalid with everything that still stands in the way."""
    faults: list[Fault] = []
    targets = [
        target
        for column in choices["columns"]
        if column["include"]
        if (target := _target(column, shape=shape, new_id=new_id, faults=faults)) is not None
    ]
    if not targets and not faults:
        faults.append(Fault(path="columns", code="empty", detail="Choose at least one column."))
    faults += _doubled(targets, shape=shape)
    total = len(shape.columns if shape else ()) + sum(target.new for target in targets)
    if total > LIMITS.columns:
        detail = f"A table has at most {LIMITS.columns:,} columns; this one would have {total:,}."
        faults.append(Fault(path="columns", code="too_many_columns", detail=detail))
    faults += _missing(targets, shape=shape, merge_on=choices["merge_on"])
    if faults:
        raise Invalid(faults[0].detail, code="undecided", faults=tuple(faults[:100]))
    return targets


def _target(
    column: Json, *, shape: TableShape | None, new_id: Callable[[], str], faults: list[Fault]
) -> Target | None:
    path = f"columns[{column['index']}]"
    if column["form"] is None:
        detail = f"Say how dates of “{column['name']}” are written: day first or month first."
        faults.append(Fault(path=f"{path}.form", code="ambiguous_dates", detail=detail))
        return None
    if column["into"] is not None:
        existing = shape.column(column["into"]) if shape else None
        if existing is None:
            detail = f"The column that “{column['name']}” was to go into is not there any more."
            faults.append(Fault(path=f"{path}.into", code="unknown_column", detail=detail))
            return None
        return Target(column["index"], existing, form=column["form"])
    kind = get_column_type(column["type"])
    wanted = ColumnSpec(new_id(), column["name"], column["type"], options=tuple(column["options"] or ()))
    collects = kind.has_options and not wanted.options
    try:
        checked = wanted if collects else kind.check_definition(wanted)
    except ValueFault as fault:
        part = f".{fault.part}" if fault.part else ""
        faults.append(Fault(path=f"{path}{part}", code=fault.code, message=fault.message))
        return None
    return Target(column["index"], checked, form=column["form"], new=True, collects=collects)


def _doubled(targets: list[Target], *, shape: TableShape | None) -> list[Fault]:
    """Two columns of the file for one of the table, or a new one by the name of one that is there."""
    faults = []
    into: dict[str, int] = {}
    names = {name_key(column.name): column.name for column in (shape.columns if shape else ())}
    for target in targets:
        path = f"columns[{target.index}]"
        if not target.new:
            if target.column.id in into:
                detail = f"Two columns of the file go into “{target.column.name}”."
                faults.append(Fault(path=f"{path}.into", code="doubled_column", detail=detail))
            into[target.column.id] = target.index
        elif name_key(target.column.name) in names:
            detail = f"There are two columns “{target.column.name}”. Rename one, or put it into the one that is there."
            faults.append(Fault(path=f"{path}.name", code="doubled_name", detail=detail))
        names[name_key(target.column.name)] = target.column.name
    return faults


def _missing(targets: list[Target], *, shape: TableShape | None, merge_on: list[str]) -> list[Fault]:
    """Columns that have to be filled or compared, and that nothing of the file goes into."""
    if shape is None:
        return []
    filled = {target.column.id for target in targets}
    faults = []
    for column_id in merge_on:
        column = shape.column(column_id)
        if column is None or column_id not in filled:
            named = f"“{column.name}”" if column else "a column that is gone"
            detail = f"Rows are to be found by {named}, but nothing of the file goes into it."
            faults.append(Fault(path="merge_on", code="key_not_filled", detail=detail))
    for column in shape.columns:
        asks = column.required and column.default is None and get_column_type(column.type).registered
        if asks and column.id not in filled and not merge_on:
            detail = f"“{column.name}” must have a value in every row: choose what goes into it."
            faults.append(Fault(path="columns", code="required", detail=detail))
    return faults


def with_options(target: Target, *, values: list[str]) -> Target:
    """The target with the values that were met as its options. Raises Invalid."""
    try:
        if not values:
            raise ValueFault("options_needed", "there are no values that could be its options; make it text.")
        options = options_from(values)
    except ValueFault as fault:
        detail = f"“{target.column.name}”: {fault.detail}"
        path = f"columns[{target.index}].type"
        raise Invalid(detail, code=fault.code, faults=(Fault(path=path, code=fault.code, detail=detail),)) from None
    return replace(target, column=replace(target.column, options=options), collects=False)
