"""describe_table: the open table's columns, with counts of values and ranges computed by the database."""
from __future__ import annotations

from typing import Any

from chat.agent.tools import ToolConfig, ToolContext, register_tool
from chat.pages.table_data import described, named_stats
from chat.tools.open_table import as_text, open_table
from tables.selectors import kept_stats, table_shape


def execute(params: dict[str, Any], *, user: Any, context: ToolContext) -> str:
    """Columns, number of rows, how often each option occurs, smallest and largest numbers and dates."""
    table = open_table(user, context)
    shape = table_shape(table)
    stats = kept_stats(table, shape=shape).value
    return as_text({**described(shape, rows=stats["row_count"]), **named_stats(stats, shape=shape)})


register_tool(
    ToolConfig(
        name="describe_table",
        description=(
            "Describes the open table: columns, number of rows, how many rows have each value of select and boolean "
            "columns, smallest and largest value of number and date columns. Computed over all rows."
        ),
        input_schema={"type": "object", "properties": {}, "additionalProperties": False},
        executor=execute,
        label="Counting values",
        category="tables",
    )
)
