"""Columns that row operations bring along: text columns at the end of the table."""
from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tables.column_types import TableShape
from tables.exceptions import TablesError
from tables.operations.choice import Choice
from tables.operations.planned import refuse_unless_clear
from tables.operations.schema_planning import plan_schema
from tables.operations.schema_proposal import read_schema_proposal

PATH = re.compile(r"^operations(\[\d+\]).*")


def with_new_columns(shape: TableShape, names: Sequence[Any], *, new_id: Callable[[], str]) -> TableShape:
    """Return the table with text columns of these names after its own.

    Raises Malformed or Invalid, with paths in `new_columns`, as a SCHEMA_PROPOSAL that adds them would.
    """
    operations = [{"action": "add", "column": {"name": name, "type": "text"}} for name in names]
    try:
        prepared = read_schema_proposal({"mode": "update", "operations": operations}, shape=shape, new_id=new_id)
        plan = plan_schema(shape=shape, prepared=prepared, choice=Choice())
        refuse_unless_clear(plan.planned)
    except TablesError as error:
        error.faults = tuple(replace(fault, path=PATH.sub(r"new_columns\1", fault.path)) for fault in error.faults)
        raise
    return replace(shape, columns=plan.after)
