"""Tool `get_rows`: a page of rows of the open table, filtered and sorted, with the total count."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from chat.agent.tools import ToolConfig, ToolContext, register_tool
from chat.exceptions import ToolFailure
from chat.pages.table_data import checked_view, named_row, numbered_rows
from chat.tools.open_table import SELECTED_HELP, error_text, open_table, selected_row_ids, to_json
from tables.exceptions import TablesError
from tables.operations import TableShape, operator_descriptions
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.sorts import parse_sort
from tables.selectors import cached_count, count_from_page, live_rows, read_rows, table_shape

FILTER_HELP = (
    '{"and": [condition | {"or": [conditions]}]}, a condition: {"column": name or id, "op": …, "value": …}. '
    f"Operators by column type: {operator_descriptions()}. between takes [low, high]; any_of, none_of, has_any, "
    "has_all and has_none take lists. In datetime columns a day means all of it."
)


def execute(params: dict[str, Any], *, user: Any, context: ToolContext) -> str:
    """Return `{"rows": [{"row_id", "data"}], "matching_rows"}`; with `in_view`, rows also have a `number`."""
    table = open_table(user, context)
    shape = table_shape(table)
    if params.get("in_view"):
        return _rows_in_view(table, params=params, shape=shape, context=context)
    try:
        raw, order = params.get("filter"), params.get("sort")
        active = parse_filter(raw, shape=shape, today=timezone.localdate()) if raw else None
        sort = parse_sort(order, shape=shape) if order else ()
    except TablesError as error:
        raise ToolFailure(error_text(error)) from None
    offset, limit = params.get("offset", 0), params.get("limit", 50)
    ids = selected_row_ids(params, context=context)
    rows = read_rows(table, shape=shape, filter=active, sort=sort, offset=offset, limit=limit, ids=ids)
    if ids is None:
        seen = count_from_page(len(rows), offset=offset, limit=limit)
        matching = cached_count(table, shape=shape, filter=active, seen=seen)
    else:
        matching = live_rows(table, filter=active, ids=ids).count()
    return to_json({"rows": [named_row(row, shape=shape) for row in rows], "matching_rows": matching})


def _rows_in_view(table: Any, *, params: dict[str, Any], shape: TableShape, context: ToolContext) -> str:
    if params.keys() & {"filter", "sort", "selected"}:
        raise ToolFailure("in_view has the user's own filter and sort: leave out filter, sort and selected.")
    view = checked_view(context.view, table=table, shape=shape, today=timezone.localdate())
    offset, limit = params.get("offset", 0), params.get("limit", 50)
    rows = read_rows(
        table, shape=shape, filter=view.filter, sort=view.sort, search=view.search, offset=offset, limit=limit
    )
    seen = count_from_page(len(rows), offset=offset, limit=limit)
    matching = cached_count(table, shape=shape, filter=view.filter, search=view.search, seen=seen)
    return to_json({"rows": numbered_rows(rows, shape=shape, offset=offset), "matching_rows": matching})


register_tool(
    ToolConfig(
        name="get_rows",
        description=(
            "Read rows of the open table, filtered and sorted, with the number of all matching rows. To count only, "
            "use limit 1."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "offset": {"type": "integer", "minimum": 0, "maximum": 1_000_000},
                "limit": {"type": "integer", "minimum": 1, "maximum": 200},
                "filter": {"type": "object", "description": FILTER_HELP},
                "in_view": {
                    "type": "boolean",
                    "description": "The rows as the user sees them, filtered and sorted, each with its number.",
                },
                "selected": {"type": "boolean", "description": SELECTED_HELP},
                "sort": {"type": "string", "description": "Column names, comma-separated, with - for descending."},
            },
            "additionalProperties": False,
        },
        executor=execute,
        label="Read rows",
        icon="table-2",
        category="tables",
    )
)
