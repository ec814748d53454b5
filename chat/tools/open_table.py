"""Functions shared by the tools of tables: the open table, selected rows, single writes, error texts."""

from __future__ import annotations

from typing import Any

from chat.agent.tools import ToolContext
from chat.exceptions import ToolFailure
from chat.pages.table_data import selected_ids
from shared import strictjson
from tables.exceptions import TablesError
from tables.operations import Choice, Origin
from tables.selectors import get_table
from tables.services import apply_data, prepare_data

# Per turn.
MAX_WRITES = {"write": 5, "delete": 1}
MAX_SELECTED = 10_000
ROW_MISSING = {"row_missing", "unknown_row"}
ROW_ID_HELP = "The row_id of the row, not its number."
SELECTED_HELP = "Only the rows that the user has selected."
FILTER_AS_IN_GET_ROWS = '{"and": [{"column": name, "op": "eq", "value": …}]}, with the operators of get_rows.'

Json = dict[str, Any]


def open_table(user: Any, context: ToolContext) -> Any:
    """Return the table of the conversation, if the user may see it. Raises ToolFailure."""
    number = context.object_id
    if not (number.isascii() and number.isdigit()):
        raise ToolFailure("No table is open here.")
    try:
        return get_table(user, int(number))
    except TablesError as error:
        raise ToolFailure(error.detail) from None


def selected_row_ids(params: Json, *, context: ToolContext) -> tuple[int, ...] | None:
    """Return the ids of the selected rows if `selected` is true, else None. Raises ToolFailure."""
    if not params.get("selected"):
        return None
    ids = selected_ids(context.view)
    if not ids:
        raise ToolFailure("No rows are selected.")
    if len(ids) > MAX_SELECTED:
        raise ToolFailure(f"More than {MAX_SELECTED:,} rows are selected. Use a filter instead.")
    return ids


def apply_operation(operation: Json, *, user: Any, context: ToolContext, kind: str) -> tuple[Json, Json]:
    """Apply one operation as a separate change. Return the change and the reference for its undo. Raises ToolFailure.

    `kind` is "write" or "delete", of which a turn may do 5 and 1; for more, the model must use a proposal.
    """
    table = open_table(user, context)
    if context.used.get(kind, 0) >= MAX_WRITES[kind]:
        raise ToolFailure("The limit of direct writes in one turn is reached. Use DATA_PROPOSAL for the rest.")
    try:
        prepared = prepare_data(user=user, table_id=table.pk, proposal={"operations": [operation]})
        applied = apply_data(
            user=user,
            prepared=prepared,
            choice=Choice.read({"operations": "all"}),
            origin=Origin("tool", turn_id=context.turn_id or None),
        ).as_json()
    except TablesError as error:
        raise ToolFailure(_operation_error_text(error, row_id=operation.get("row_id"))) from None
    context.used[kind] = context.used.get(kind, 0) + 1
    return applied, undo_reference(table_id=table.pk, change_id=applied["change"])


def _operation_error_text(error: TablesError, *, row_id: int | None) -> str:
    """Return the error of a single operation without the sentences about several operations."""
    if any(fault.code in ROW_MISSING for fault in error.faults):
        return f"There is no row with the id {row_id}."
    return "\n".join(fault.detail for fault in error.faults[:20]) or error.detail


def undo_reference(*, table_id: int, change_id: int) -> Json:
    """Return the reference under which a change is undone."""
    return {"table_id": table_id, "change_id": change_id}


def error_text(error: TablesError) -> str:
    """Return an error and its faults with their paths, for the model."""
    faults = [f"{fault.path}: {fault.detail}" for fault in error.faults[:20]]
    return "\n".join([error.detail, *faults])


def to_json(value: Any) -> str:
    """Return the value as JSON for the model."""
    return strictjson.dumps(value)
