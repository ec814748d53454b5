"""Tool `update_row`: change cells of a single row that the user asked for explicitly."""

from __future__ import annotations

from typing import Any

from chat.agent.tools import ToolConfig, ToolContext, ToolResult, register_tool
from chat.tools.open_table import ROW_ID_HELP, apply_operation


def execute(params: dict[str, Any], *, user: Any, context: ToolContext) -> ToolResult:
    """Update the cells as a separate change."""
    operation = {"action": "update", "row_id": params["row_id"], "changes": params["changes"]}
    _, undo = apply_operation(operation, user=user, context=context, kind="write")
    return ToolResult(text=f"Updated row {params['row_id']}.", undo=undo)


register_tool(
    ToolConfig(
        name="update_row",
        description=(
            "Change cells of one row that the user explicitly asked to change. Other cells stay. For more rows use "
            "DATA_PROPOSAL."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "row_id": {"type": "integer", "minimum": 1, "description": ROW_ID_HELP},
                "changes": {"type": "object", "description": "Column names and new values.", "minProperties": 1},
            },
            "required": ["row_id", "changes"],
            "additionalProperties": False,
        },
        executor=execute,
        label="Change row",
        icon="pencil",
        category="tables",
        writes="row",
    )
)
