"""create_row: one row, when it was plainly asked for."""
from __future__ import annotations

from typing import Any

from chat.agent.tools import ToolConfig, ToolContext, ToolResult, register_tool
from chat.tools.open_table import write_one, written


def execute(params: dict[str, Any], *, user: Any, context: ToolContext) -> ToolResult:
    """Adds the row as a change of its own."""
    operation = {"action": "add", "data": params["data"]}
    applied, undo = write_one(operation, user=user, context=context, kind="write")
    return written(f"Added row {applied['applied'][0]['row_id']}.", undo=undo)


register_tool(
    ToolConfig(
        name="create_row",
        description="Adds one row that the person plainly asked for. For more than one row use DATA_PROPOSAL.",
        input_schema={
            "type": "object",
            "properties": {"data": {"type": "object", "description": "Column names and values.", "minProperties": 1}},
            "required": ["data"],
            "additionalProperties": False,
        },
        executor=execute,
        label="Adding a row",
        category="tables",
        writes="row",
    )
)
