"""Tool `delete_row`: delete a single row that the user asked for explicitly."""

from __future__ import annotations

from typing import Any

from chat.agent.tools import ToolConfig, ToolContext, ToolResult, register_tool
from chat.tools.open_table import ROW_ID_HELP, apply_operation, open_table, to_json
from tables.operations import first_value
from tables.selectors import rows_by_id, table_shape


def execute(params: dict[str, Any], *, user: Any, context: ToolContext) -> ToolResult:
    """Delete the row as a separate change."""
    operation = {"action": "delete", "row_id": params["row_id"]}
    name = _first_value(params["row_id"], table=open_table(user, context))
    _, undo = apply_operation(operation, user=user, context=context, kind="delete")
    return ToolResult(text=f"Deleted row {params['row_id']}{f': {to_json(name)}' if name else ''}.", undo=undo)


def _first_value(row_id: int, *, table: Any) -> str:
    """Return the first value of the row, because users do not see row ids."""
    shape = table_shape(table)
    row = rows_by_id(table, [row_id], shape=shape).get(row_id)
    return first_value(row.data, shape.columns) if row else ""


register_tool(
    ToolConfig(
        name="delete_row",
        description="Delete one row that the user explicitly asked to delete. For more rows use DATA_PROPOSAL.",
        input_schema={
            "type": "object",
            "properties": {"row_id": {"type": "integer", "minimum": 1, "description": ROW_ID_HELP}},
            "required": ["row_id"],
            "additionalProperties": False,
        },
        executor=execute,
        label="Delete row",
        icon="trash-2",
        category="tables",
        writes="row",
    )
)
