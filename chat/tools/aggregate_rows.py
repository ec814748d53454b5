"""Tool `aggregate_rows`: counts, sums, averages, medians, minimums and maximums, of all rows or by groups."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from chat.agent.tools import ToolConfig, ToolContext, register_tool
from chat.exceptions import ToolFailure
from chat.pages.table_data import shown_value
from chat.tools.open_table import (
    FILTER_AS_IN_GET_ROWS,
    SELECTED_HELP,
    error_text,
    open_table,
    selected_row_ids,
    to_json,
)
from tables.exceptions import TablesError
from tables.operations import TableShape
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.measures import (
    DATE_PARTS,
    FUNCTIONS,
    MAX_GROUP_KEYS,
    MAX_MEASURES,
    ORDERS,
    GroupKey,
    Measure,
    parse_groups,
    parse_measures,
)
from tables.selectors import Group, aggregate, sort_groups, table_shape

Json = dict[str, Any]


def execute(params: Json, *, user: Any, context: ToolContext) -> str:
    """Return `{"groups": [{"group": {column: value}, "rows", "values": {measure: value}}], "groups_total", …}`."""
    table = open_table(user, context)
    shape = table_shape(table)
    try:
        raw = params.get("filter")
        active = parse_filter(raw, shape=shape, today=timezone.localdate()) if raw else None
        keys = parse_groups(params.get("group_by"), shape=shape)
        measures = parse_measures(params.get("measures"), shape=shape)
        ids = selected_row_ids(params, context=context)
        groups = aggregate(table, shape=shape, group_by=keys, measures=measures, filter=active, ids=ids)
    except TablesError as error:
        raise ToolFailure(error_text(error)) from None
    shown = sort_groups(groups, order=params.get("order", "group"))[: params.get("limit", 50)]
    return to_json(
        {
            "groups": [group_by_names(group, keys=keys, measures=measures, shape=shape) for group in shown],
            "groups_total": len(groups),
            "matching_rows": sum(group.rows for group in groups),
        }
    )


def group_by_names(
    group: Group, *, keys: tuple[GroupKey, ...], measures: tuple[Measure, ...], shape: TableShape
) -> Json:
    """Return a group with column names as keys; an empty cell is null."""
    columns = {column.id: column for column in shape.columns}
    names = {column.id: column.name for column in shape.columns}
    pairs = [(columns[key.column_id], value) for key, value in zip(keys, group.key, strict=True)]
    by = {column.name: shown_value(value, column=column) for column, value in pairs}
    values = {
        f"{measure.function} of {names[measure.column_id]}" if measure.column_id else "rows": value
        for measure, value in zip(measures, group.values, strict=True)
    }
    return {"group": by, "rows": group.rows, "values": values}


register_tool(
    ToolConfig(
        name="aggregate_rows",
        description=(
            "Compute count, sum, average, median, min and max of columns over all rows of the open table, in total or "
            "by groups (by the value of a column, dates also by day, month or year). Sums are exact."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "group_by": {
                    "type": "array",
                    "maxItems": MAX_GROUP_KEYS,
                    "items": {
                        "type": "object",
                        "properties": {
                            "column": {"type": "string"},
                            "by": {"type": "string", "enum": list(DATE_PARTS)},
                        },
                        "required": ["column"],
                        "additionalProperties": False,
                    },
                },
                "measures": {
                    "type": "array",
                    "maxItems": MAX_MEASURES,
                    "description": (
                        "Rows are always counted. sum, average, median: number columns; min, max: number and date."
                    ),
                    "items": {
                        "type": "object",
                        "properties": {
                            "function": {"type": "string", "enum": list(FUNCTIONS)},
                            "column": {"type": "string"},
                        },
                        "required": ["function"],
                        "additionalProperties": False,
                    },
                },
                "filter": {"type": "object", "description": FILTER_AS_IN_GET_ROWS},
                "selected": {"type": "boolean", "description": SELECTED_HELP},
                "order": {
                    "type": "string",
                    "enum": list(ORDERS),
                    "description": "By the value of the group, or by the first measure.",
                },
                "limit": {"type": "integer", "minimum": 1, "maximum": 200},
            },
            "additionalProperties": False,
        },
        executor=execute,
        label="Summarize rows",
        icon="calculator",
        category="tables",
    )
)
