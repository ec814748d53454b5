"""Tool `create_row`: add a single row that the user asked for explicitly."""

from __future__ import annotations

from typing import Any

from chat.agent.tools import ToolConfig, ToolContext, ToolResult, register_tool
from chat.tools.open_table import apply_operation


def execute(params: dict[str, Any], *, user: Any, context: ToolContext) -> ToolResult:
    """Add the row as a separate change."""
    operation = {"action": "add", "data": params["data"]}
    applied, undo = apply_operation(operation, user=user, context=context, kind="write")
    return ToolResult(text=f"Added row {applied['applied'][0]['row_id']}.", undo=undo)


register_tool(
    ToolConfig(
        name="create_row",
        description="Add one row that the user explicitly asked for. For more rows use DATA_PROPOSAL.",
        input_schema={
            "type": "object",
            "properties": {"data": {"type": "object", "description": "Column names and values.", "minProperties": 1}},
            "required": ["data"],
            "additionalProperties": False,
        },
        executor=execute,
        label="Add row",
        icon="plus",
        category="tables",
        writes="row",
    )
)
