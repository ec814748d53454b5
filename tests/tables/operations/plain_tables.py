"""Tables as plain values, for tests of planning without a database."""
from __future__ import annotations

from datetime import date
from itertools import count
from typing import Any

from tables.column_types import ColumnSpec, TableShape
from tables.operations.body_reader import Form
from tables.operations.cells import RowState
from tables.operations.plans.data_plan import DataPlan, plan_data
from tables.operations.plans.schema_plan import SchemaPlan, plan_schema
from tables.operations.proposals.choice import Choice
from tables.operations.proposals.data_proposal import complete_data_proposal, read_data_proposal, refuse_in_order
from tables.operations.proposals.schema_proposal import read_schema_proposal

TODAY = date(2026, 11, 21)
JOBS = TableShape(
    id=5,
    name="Jobs",
    description="Where I applied",
    columns=(
        ColumnSpec(id="col_company", name="Company", type="text", required=True, position=0),
        ColumnSpec(id="col_status", name="Status", type="select", options=("Open", "Done"), default="Open", position=1),
        ColumnSpec(id="col_salary", name="Salary", type="number", position=2),
        ColumnSpec(id="col_due", name="Due", type="date", position=3),
    ),
)
ROWS = {
    1: RowState(id=1, version=1, data={"col_company": "Acme", "col_status": "Open", "col_salary": 10}),
    2: RowState(id=2, version=1, data={"col_company": "Bolt", "col_status": "Done"}),
}


def prepared_data(*operations: dict[str, Any], typecast: bool = True, shape: TableShape = JOBS) -> dict[str, Any]:
    """Return the stored form of these operations on ROWS."""
    proposal = {"operations": list(operations)}
    form = Form()
    drafts, words = read_data_proposal(proposal, shape=shape, typecast=typecast, today=TODAY, form=form)
    refuse_in_order(form)
    matches = {number: list(ROWS.values()) for number, draft in enumerate(drafts) if draft.where is not None}
    prepared = complete_data_proposal(drafts, words=words, table_id=5, rows=ROWS, matches=matches)
    return {**prepared, "content_hash": "h"}


def planned_data(
    *operations: dict[str, Any], rows: dict[int, RowState] = ROWS, shape: TableShape = JOBS, **choice: Any
) -> DataPlan:
    """Return the plan for these operations on a table that has changed to `shape` and `rows`."""
    chosen = Choice(**choice)
    prepared = prepared_data(*operations)
    return plan_data(shape=shape, operations=chosen.chosen(prepared), choice=chosen, rows=rows)


def prepared_schema(*operations: dict[str, Any], shape: TableShape = JOBS, **metadata: Any) -> dict[str, Any]:
    """Return the stored form; new columns get the ids new_0, new_1, …"""
    numbers = count()
    mode = "create" if shape.id is None else "update"
    proposal = {"mode": mode, "operations": list(operations), **metadata}
    prepared = read_schema_proposal(proposal, shape=shape, new_id=lambda: f"new_{next(numbers)}")
    return {**prepared, "content_hash": "h"}


def planned_schema(*operations: dict[str, Any], now: TableShape = JOBS, **choice: Any) -> SchemaPlan:
    """Return the plan for these operations on a table whose definition has changed to `now`."""
    return plan_schema(shape=now, prepared=prepared_schema(*operations), choice=Choice(**choice))


def names(plan: SchemaPlan) -> list[str]:
    """Return the names of the planned columns in order."""
    return [column.name for column in plan.after]
