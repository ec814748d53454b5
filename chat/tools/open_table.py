"""What the tools of a table share: the conversation's own table, writes through the pipeline, errors as sentences."""

from __future__ import annotations

from typing import Any

import strictjson
from chat.agent.tools import ToolContext, ToolResult
from chat.exceptions import ToolFailure
from chat.pages.table_data import selected_ids
from tables.exceptions import TablesError
from tables.operations import Choice, Origin
from tables.selectors import get_table
from tables.services import apply_data, prepare_data

MOST_WRITES = {"write": 5, "delete": 1}
MAX_SELECTED = 10_000
ROW_MISSING = {"row_missing", "unknown_row"}
ROW_ID_HELP = "The row_id of the row, not its number."
SELECTED_HELP = "Only the rows that the person has selected."

Json = dict[str, Any]


def open_table(user: Any, context: ToolContext) -> Any:
    """The table this conversation is about, if this person may see it. Raises ToolFailure."""
    number = context.object_id
    if not (number.isascii() and number.isdigit()):
        raise ToolFailure("No table is open here.")
    try:
        return get_table(user, int(number))
    except TablesError as error:
        raise ToolFailure(error.detail) from None


def selected_rows(params: Json, *, context: ToolContext) -> tuple[int, ...] | None:
    """The ids of the selected rows where `selected` is true, else None. Raises ToolFailure."""
    if not params.get("selected"):
        return None
    ids = selected_ids(context.view)
    if not ids:
        raise ToolFailure("No rows are selected.")
    if len(ids) > MAX_SELECTED:
        raise ToolFailure(f"More than {MAX_SELECTED:,} rows are selected. Use a filter instead.")
    return ids


def write_one(operation: Json, *, user: Any, context: ToolContext, kind: str) -> tuple[Json, Json]:
    """Applies one operation as a change of its own; gives the change and how to undo it. Raises ToolFailure.

    `kind` is "write" or "delete": a turn may do 5 and 1 of them, more is a matter for a proposal.
    """
    table = open_table(user, context)
    if context.used.get(kind, 0) >= MOST_WRITES[kind]:
        raise ToolFailure("That is as much as may be written directly in one turn. Use DATA_PROPOSAL for the rest.")
    try:
        prepared = prepare_data(user=user, table_id=table.pk, proposal={"operations": [operation]})
        applied = apply_data(
            user=user,
            prepared=prepared,
            choice=Choice.read({"operations": "all"}),
            origin=Origin("tool", turn_id=context.turn_id or None),
        ).as_json()
    except TablesError as error:
        raise ToolFailure(_refused(error, row_id=operation.get("row_id"))) from None
    context.used[kind] = context.used.get(kind, 0) + 1
    return applied, undo_of(table_id=table.pk, change_id=applied["change"])


def _refused(error: TablesError, *, row_id: int | None) -> str:
    """Why one operation cannot be applied, without words about several operations."""
    if any(fault.code in ROW_MISSING for fault in error.faults):
        return f"There is no row with the id {row_id}."
    return "\n".join(fault.detail for fault in error.faults[:20]) or error.detail


def undo_of(*, table_id: int, change_id: int) -> Json:
    """How a direct write is taken back."""
    return {"table_id": table_id, "change_id": change_id}


def written(text: str, *, undo: Json) -> ToolResult:
    """The result of a direct write."""
    return ToolResult(text=text, undo=undo)


def sentence_of(error: TablesError) -> str:
    """An error with its faults, path by path, as the model should read it."""
    faults = [f"{fault.path}: {fault.detail}" for fault in error.faults[:20]]
    return "\n".join([error.detail, *faults])


def as_text(value: Any) -> str:
    """JSON for the model."""
    return strictjson.dump(value)
