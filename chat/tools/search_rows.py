"""Tool `search_rows`: the rows of the open table that contain all words of a query."""

from __future__ import annotations

from typing import Any

from chat.agent.tools import ToolConfig, ToolContext, register_tool
from chat.pages.table_data import named_row
from chat.tools.open_table import open_table, to_json
from tables.selectors import cached_count, count_from_page, read_rows, table_shape


def execute(params: dict[str, Any], *, user: Any, context: ToolContext) -> str:
    """Return `{"rows": [{"row_id", "data"}], "matching_rows"}`."""
    table = open_table(user, context)
    shape = table_shape(table)
    query, limit = params["query"], params.get("limit", 20)
    rows = read_rows(table, shape=shape, search=query, limit=limit)
    seen = count_from_page(len(rows), offset=0, limit=limit)
    return to_json(
        {
            "rows": [named_row(row, shape=shape) for row in rows],
            "matching_rows": cached_count(table, shape=shape, search=query, seen=seen),
        }
    )


register_tool(
    ToolConfig(
        name="search_rows",
        description="Find rows of the open table that contain every word of the query.",
        input_schema={
            "type": "object",
            "properties": {
                "query": {"type": "string", "minLength": 1, "maxLength": 500},
                "limit": {"type": "integer", "minimum": 1, "maximum": 200},
            },
            "required": ["query"],
            "additionalProperties": False,
        },
        executor=execute,
        label="Search rows",
        icon="search",
        category="tables",
    )
)
