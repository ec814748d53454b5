"""Faults of the valid parts of a column proposal that also has invalid ones."""
from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tables.column_types import COLUMN_TYPES, ColumnSpec, TableShape, ValueFault, get_column_type
from tables.column_types.settings import setting_names
from tables.exceptions import Fault
from tables.operations.body_reader import Form
from tables.operations.plans.planned import Planned, unresolved_faults
from tables.operations.plans.schema_plan import SchemaPlan, plan_schema
from tables.operations.proposals.choice import Choice
from tables.operations.proposals.definitions import column_fields
from tables.operations.proposals.sample_rows import plan_sample_rows

Json = dict[str, Any]
OPERATION_PATH = re.compile(
    r"operations\[(?P<index>[0-9]+)\](?:\.(?P<part>column|changes)(?=\.))?\.?(?P<field>[^.\[]*)"
)
OPTION_PATH = re.compile(
    r"(?P<options>operations\[(?P<index>[0-9]+)\]\.(?P<part>column|changes)\.options)\[(?P<position>[0-9]+)\]"
)
SAMPLE_PATH = re.compile(r"sample_rows\[([0-9]+)\]")
# Faults of a plan that another operation, which removes or renames a column, could prevent.
DEPENDENT_CODES = {"doubled_name", "too_many_columns"}
# Faults of all options together.
CODES_OF_ALL_OPTIONS = {"no_options", "options_needed"}
# Paths of an operation whose faults make its column unknown.
WHOLE = {"", "action", "column", "changes"}
FIELDS_OF_OPERATION = {*WHOLE, "column_id", "copy_of"}
ORDERED_PATH = re.compile(
    r"(?P<list>operations|sample_rows)\[(?P<index>[0-9]+)\]"
    r"(?:\.(?P<part>[^.\[]*)(?:\.(?P<field>[^.\[]*)(?:\[(?P<item>[0-9]+)\])?)?)?"
)
# The order of the faults of one operation.
PARTS = ("action", "column_id", "column", "copy_of", "changes", "expected", "after_column_id", "reason")


def add_plan_faults(form: Form, prepared: Json, *, sent: Any, shape: TableShape) -> None:
    """Add the faults of parts that could be read, but cannot be applied, to those of reading `sent`.

    Parts that depend on invalid ones are not checked: the default of a column of an unknown type, for example, and if
    an invalid operation may remove or rename a column, whether names are taken and the number of columns. Nothing is
    added if the mode is invalid. All faults are then in the order of the operations and of their parts.
    """
    if not any(fault.path == "mode" for fault in form.faults):
        _add_plan_faults(form, prepared, sent=sent, shape=shape)
    form.faults.sort(key=_position)


def _position(fault: Fault) -> tuple[int, ...]:
    """Return the position of a fault: first the fields of the request, then the operations, then the sample rows."""
    found = ORDERED_PATH.match(fault.path)
    if found is None:
        return (0,)
    if found["list"] == "sample_rows":
        return (2, int(found["index"]))
    part, field = _rank(found["part"], PARTS), _rank(found["field"], column_fields())
    return (1, int(found["index"]), part, field, int(found["item"] or 0))


def _rank(name: str | None, names: Sequence[str]) -> int:
    """Return the position of a name. Unknown names are first, because others may be missing for them."""
    return names.index(name) + 1 if name in names else 0


def _add_plan_faults(form: Form, prepared: Json, *, sent: Any, shape: TableShape) -> None:
    operations, invalid = prepared["operations"], _invalid_fields(form.faults)
    written = sent["operations"] if operations else []
    if any(fields & {"name", *WHOLE} for fields in invalid.values()):
        # The cells of unknown columns may belong to columns whose names cannot be read.
        form.faults = [
            each for each in form.faults if each.code != "unknown_column" or not SAMPLE_PATH.match(each.path)
        ]
    faults = _faults_of_unknown_columns(operations, sent=written, invalid=invalid)
    readable = [_with_known_type(each, invalid=invalid) for each in operations if _column_of(each)]
    if readable:
        plan = plan_schema(shape=shape, prepared={**prepared, "operations": readable}, choice=Choice())
        unknown = _unknown_fields(plan.planned, invalid=invalid)
        faults += _independent_faults(plan, unknown=unknown)
        if any(_may_free_a_name(operations[index], fields) for index, fields in invalid.items()):
            faults = [fault for fault in faults if fault.code not in DEPENDENT_CODES]
        faults += _sample_faults(form, prepared, plan=plan, unknown=unknown)
    form.faults += [_at_sent_option(fault, sent=written) for fault in faults]
    form.invalid_codes.update(fault.code for fault in faults)


def _invalid_fields(faults: Sequence[Fault]) -> dict[int, set[str]]:
    """Return the invalid fields of each operation and its column; "" is the whole operation."""
    invalid: dict[int, set[str]] = {}
    for fault in faults:
        if found := OPERATION_PATH.match(fault.path):
            fields = invalid.setdefault(int(found["index"]), set())
            if found["part"] or found["field"] in FIELDS_OF_OPERATION:
                fields.add(found["field"])
            if found["field"] == "copy_of":
                fields |= {"type", "options"}
    return invalid


def _with_known_type(operation: Json, *, invalid: Mapping[int, set[str]]) -> Json:
    """Return an operation with a type that can have its options, if it names an unknown one."""
    part = "column" if "column" in operation else "changes"
    fields = operation.get(part, {})
    if "type" in invalid.get(operation["index"], ()) and fields.get("options"):
        return {**operation, part: {**fields, "type": _type_with_options()}}
    return operation


def _type_with_options() -> str:
    return next(name for name, kind in COLUMN_TYPES.items() if kind.has_options)


def _unknown_fields(planned: Sequence[Planned], *, invalid: Mapping[int, set[str]]) -> dict[int, set[str]]:
    """Return, for each operation, the fields of its column that it or an earlier one does not define."""
    of_column: dict[str | None, set[str]] = {}
    unknown: dict[int, set[str]] = {}
    for each in planned:
        fields = of_column[each.column_id] = of_column.get(each.column_id, set()) | invalid.get(each.index, set())
        unknown[each.index] = fields
    return unknown


def _independent_faults(plan: SchemaPlan, *, unknown: Mapping[int, set[str]]) -> list[Fault]:
    """Return the faults of a plan that do not depend on an unknown field."""
    types = {column.id: column.type for column in plan.after}
    return [
        fault
        for each in plan.planned
        for fault in unresolved_faults([each])
        if not _depends(fault, unknown=unknown[each.index], type_name=types.get(each.column_id or "", ""))
    ]


def _depends(fault: Fault, *, unknown: Collection[str], type_name: str) -> bool:
    """Return whether a fault of a column may be the consequence of an unknown field."""
    found = OPERATION_PATH.match(fault.path)
    field = found["field"] if found else ""
    if not field:
        return False
    depends_on = {field}
    if fault.code in CODES_OF_ALL_OPTIONS:
        depends_on = {"type", "options"}
    elif field == "options" and fault.path.endswith("]"):
        # Whether one option is valid does not depend on the others.
        depends_on = set()
    elif field == "default":
        has_options = get_column_type(type_name).has_options if type_name else True
        depends_on = {"type", "default"} | ({"options"} if has_options else set())
    elif field in setting_names():
        depends_on = {"type", "format", field}
    return not WHOLE.isdisjoint(unknown) or not depends_on.isdisjoint(unknown)


def _faults_of_unknown_columns(
    operations: Sequence[Json], *, sent: Sequence[Any], invalid: Mapping[int, set[str]]
) -> list[Fault]:
    """Return the faults of changes of columns that are not in the table, which are the same for every column."""
    faults = []
    for operation in operations:
        index, changes = operation["index"], operation.get("changes")
        if not changes or "column_id" in operation:
            continue
        unknown = invalid[index] | {name for name in ("type", "options") if name not in changes}
        ref, type_name = sent[index].get("column_id"), changes.get("type") or _type_with_options()
        column = ColumnSpec.from_json({**changes, "id": "", "name": str(ref), "type": type_name})
        try:
            get_column_type(type_name).check_definition(column)
        except ValueFault as found:
            for each in found.all:
                path = f"operations[{index}].changes.{each.part}"
                message = each.message if ref is None else each.in_column(str(ref))
                fault = Fault(path=path, code=each.code, message=message)
                faults += [] if _depends(fault, unknown=unknown, type_name=type_name) else [fault]
    return faults


def _sample_faults(form: Form, prepared: Json, *, plan: SchemaPlan, unknown: Mapping[int, set[str]]) -> list[Fault]:
    """Return the faults of the sample rows in valid columns."""
    faulty = {
        each.column_id for each in plan.planned if each.faults or unknown[each.index] & {"type", "options", *WHOLE}
    }
    incomplete = {found[1] for fault in form.faults if (found := SAMPLE_PATH.match(fault.path))}

    def is_certain(fault: Fault) -> bool:
        found = SAMPLE_PATH.match(fault.path)
        # A cell that cannot be read may be meant for the required column.
        return fault.code != "required" or found is None or found[1] not in incomplete

    columns = [column for column in plan.after if column.id not in faulty]
    return [fault for fault in plan_sample_rows(prepared, columns=columns).faults if is_certain(fault)]


def _at_sent_option(fault: Fault, *, sent: Sequence[Any]) -> Fault:
    """Return the fault of an option with its position in the list that was sent, which may also have other values."""
    found = OPTION_PATH.fullmatch(fault.path)
    if found is None:
        return fault
    options = sent[int(found["index"])][found["part"]]["options"]
    texts = [position for position, option in enumerate(options) if isinstance(option, str)]
    return replace(fault, path=f"{found['options']}[{texts[int(found['position'])]}]")


def _column_of(operation: Json) -> str:
    """Return the id of the column of an operation, "" if it is not known."""
    return str(operation["column"]["id"] if "column" in operation else operation.get("column_id", ""))


def _may_free_a_name(operation: Json, invalid: Collection[str]) -> bool:
    """Return whether an invalid operation may have been meant to remove or rename a column."""
    if operation["action"] == "remove":
        return not _column_of(operation)
    if operation["action"] == "modify":
        renames_unknown = "name" in operation["changes"] and not _column_of(operation)
        return renames_unknown or not {"name", *WHOLE}.isdisjoint(invalid)
    return not operation["action"]
