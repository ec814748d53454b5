"""Faults of the valid operations of a column proposal that also has invalid ones."""
from __future__ import annotations

import re
from typing import Any

from tables.column_types import TableShape
from tables.operations.body_reader import Form
from tables.operations.plans.planned import unresolved_faults
from tables.operations.plans.schema_plan import plan_schema
from tables.operations.proposals.choice import Choice

Json = dict[str, Any]
OPERATION_PATH = re.compile(r"operations\[([0-9]+)\]")
# Faults of a plan that another operation, which removes or renames a column, could prevent.
DEPENDENT_CODES = {"doubled_name", "too_many_columns"}


def add_plan_faults(form: Form, prepared: Json, *, sent: Any, shape: TableShape) -> None:
    """Add the faults of operations that could be read, but cannot be applied, to those of reading `sent`.

    Unknown results are not checked: the columns of invalid operations, and if one of these may remove or rename a
    column, whether names are taken and the number of columns. Nothing is added if the mode is invalid.
    """
    operations = prepared["operations"]
    found = (OPERATION_PATH.match(fault.path) for fault in form.faults)
    invalid = {int(match[1]) for match in found if match is not None}
    readable = [each for each in operations if _column_of(each)]
    if not readable or any(fault.path == "mode" for fault in form.faults):
        return
    plan = plan_schema(shape=shape, prepared={**prepared, "operations": readable}, choice=Choice())
    unknown_columns = {_column_of(operations[index]) for index in invalid}
    faults = unresolved_faults([each for each in plan.planned if each.column_id not in unknown_columns])
    if any(_may_free_a_name(sent["operations"][index]) for index in invalid):
        faults = tuple(fault for fault in faults if fault.code not in DEPENDENT_CODES)
    form.faults += faults
    form.invalid_codes.update(fault.code for fault in faults)


def _column_of(operation: Json) -> str:
    """Return the id of the column of an operation, "" if it is not known."""
    return str(operation["column"]["id"] if "column" in operation else operation.get("column_id", ""))


def _may_free_a_name(operation: Any) -> bool:
    """Return whether an invalid operation may have been meant to remove or rename a column."""
    if not isinstance(operation, dict) or operation.get("action") not in ("add", "reorder", "modify"):
        return True
    changes = operation.get("changes")
    return operation["action"] == "modify" and not (isinstance(changes, dict) and "name" not in changes)
