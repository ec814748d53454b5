"""Tool `find_duplicates`: rows of the open table that are equal in all cells or in some columns."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from chat.agent.tools import ToolConfig, ToolContext, register_tool
from chat.exceptions import ToolFailure
from chat.pages.table_data import named_row
from chat.tools.open_table import FILTER_AS_IN_GET_ROWS, error_text, open_table, to_json
from tables.exceptions import TablesError
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.sorts import parse_columns
from tables.selectors import find_duplicates, rows_by_id, table_shape


def execute(params: dict[str, Any], *, user: Any, context: ToolContext) -> str:
    """Return `{"groups": [{"rows", "row_ids", "first": {column: value}}], "groups_total", "repeated_rows"}`."""
    table = open_table(user, context)
    shape = table_shape(table)
    try:
        raw = params.get("filter")
        active = parse_filter(raw, shape=shape, today=timezone.localdate()) if raw else None
        columns = parse_columns(params.get("columns"), shape=shape)
    except TablesError as error:
        raise ToolFailure(error_text(error)) from None
    found = find_duplicates(table, columns=columns, filter=active, limit=params.get("limit", 20))
    first_rows = rows_by_id(table, [group.row_ids[0] for group in found.groups], shape=shape)
    groups = [
        {
            "rows": group.row_count,
            "row_ids": list(group.row_ids),
            "first": named_row(first_rows[group.row_ids[0]], shape=shape)["data"],
        }
        for group in found.groups
        if group.row_ids[0] in first_rows
    ]
    return to_json({"groups": groups, "groups_total": found.group_count, "repeated_rows": found.repeated})


register_tool(
    ToolConfig(
        name="find_duplicates",
        description=(
            "Find rows of the open table that are equal in the given columns (ignoring case), or in all cells if none "
            "are given. Returns the number of groups, and the row ids of each in order (at most 50). Changes nothing: "
            "propose with DATA_PROPOSAL what to do with them."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "columns": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 20},
                "filter": {"type": "object", "description": FILTER_AS_IN_GET_ROWS},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "Groups to return."},
            },
            "additionalProperties": False,
        },
        executor=execute,
        label="Find duplicates",
        icon="copy",
        category="tables",
    )
)
