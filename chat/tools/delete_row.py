"""delete_row: one row, when it was plainly asked for."""
from __future__ import annotations

from typing import Any

from chat.agent.tools import ToolConfig, ToolContext, ToolResult, register_tool
from chat.tools.open_table import write_one, written


def execute(params: dict[str, Any], *, user: Any, context: ToolContext) -> ToolResult:
    """Deletes the row as a change of its own."""
    operation = {"action": "delete", "row_id": params["row_id"]}
    _, undo = write_one(operation, user=user, context=context, kind="delete")
    return written(f"Deleted row {params['row_id']}.", undo=undo)


register_tool(
    ToolConfig(
        name="delete_row",
        description="Deletes one row that the person plainly asked to delete. For more use DATA_PROPOSAL.",
        input_schema={
            "type": "object",
            "properties": {"row_id": {"type": "integer", "minimum": 1}},
            "required": ["row_id"],
            "additionalProperties": False,
        },
        executor=execute,
        label="Deleting a row",
        category="tables",
        writes="row",
    )
)
