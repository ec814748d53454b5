"""Tool `describe_table`: the columns of the open table, with value counts and ranges over all rows."""

from __future__ import annotations

from typing import Any

from chat.agent.tools import ToolConfig, ToolContext, register_tool
from chat.pages.table_data import named_stats, table_description
from chat.tools.open_table import open_table, to_json
from tables.selectors import cached_stats, table_shape


def execute(params: dict[str, Any], *, user: Any, context: ToolContext) -> str:
    """Return columns, row count, counts by option, and ranges of numbers and dates."""
    table = open_table(user, context)
    shape = table_shape(table)
    stats = cached_stats(table, shape=shape).value
    return to_json({**table_description(shape, rows=stats["row_count"]), **named_stats(stats, shape=shape)})


register_tool(
    ToolConfig(
        name="describe_table",
        description=(
            "Describe the open table, over all rows: columns, number of rows, rows by value of select and boolean "
            "columns, minimum and maximum of number and date columns."
        ),
        input_schema={"type": "object", "properties": {}, "additionalProperties": False},
        executor=execute,
        label="View table",
        icon="table-2",
        category="tables",
    )
)
