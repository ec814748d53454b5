"""Tool `list_tables`: the user's tables."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from chat.agent.tools import ToolConfig, ToolContext, register_tool
from chat.page_config import PageContext
from chat.pages.table_data import tables_data
from chat.tools.open_table import to_json


def execute(params: dict[str, Any], *, user: Any, context: ToolContext) -> str:
    """Return name, description, columns and row count of each table."""
    page = PageContext(user=user, page=context.page, object_id=context.object_id, view={})
    data = tables_data(page, today=timezone.localdate())
    return to_json({"tables": data["tables"], "tables_total": data["tables_total"]})


register_tool(
    ToolConfig(
        name="list_tables",
        description="List the user's tables with their columns and numbers of rows.",
        input_schema={"type": "object", "properties": {}, "additionalProperties": False},
        executor=execute,
        label="List tables",
        icon="layout-grid",
        category="tables",
    )
)
