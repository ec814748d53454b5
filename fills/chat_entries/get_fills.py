"""Tool `get_fills`: the fills of the open table with their progress, or the results of one of them."""
from __future__ import annotations

from typing import Any
from uuid import UUID

from chat.agent.tools import ToolConfig, ToolContext, register_tool
from chat.exceptions import ToolFailure
from fills.instruction import instruction_text
from fills.prompt import CONFIDENCES
from fills.selectors import COUNTED_STATES, Fill, Result, counts_of, fills_of, get_fill, results_of
from fills.services import review_states
from shared import strictjson
from shared.user_messages import Message
from tables.exceptions import TablesError
from tables.operations import TableShape
from tables.operations.value_schemas import sent_value
from tables.selectors import get_table, table_shape

Json = dict[str, Any]
MAX_FILLS, MAX_RESULTS = 10, 50


def execute(params: Json, *, user: Any, context: ToolContext) -> str:
    """Return `{"fills": […]}`, or `{"fill", "results", "results_total"}` of one fill. Raises ToolFailure."""
    if not (context.object_id.isascii() and context.object_id.isdigit()):
        raise ToolFailure("No table is open here.")
    table_id = int(context.object_id)
    try:
        if "fill" in params:
            return strictjson.dumps(_results(user, table_id=table_id, params=params))
        shape = table_shape(get_table(user, table_id))
        found = list(fills_of(user, table_id)[:MAX_FILLS])
        counts = counts_of(fill.pk for fill in found)
        return strictjson.dumps({"fills": [_fill(each, shape=shape, counts=counts[each.pk]) for each in found]})
    except TablesError as error:
        raise ToolFailure(error.detail) from None


def _fill(fill: Fill, *, shape: TableShape, counts: Json) -> Json:
    return {
        "fill": str(fill.pk),
        "state": fill.state,
        "columns": [column.name for column in shape.columns if column.id in fill.columns],
        "instruction": instruction_text(fill.instruction, shape=shape),
        "sources": fill.sources,
        "results": dict(counts),
        "tokens": fill.input_tokens + fill.output_tokens,
        "reason": _text(fill.reason),
        "set_up_by": fill.user.get_username(),
        "created_at": fill.created_at.isoformat(),
    }


def _results(user: Any, *, table_id: int, params: Json) -> Json:
    try:
        fill_id = UUID(params["fill"])
    except ValueError:
        raise ToolFailure("fill: must be an id from get_fills.") from None
    fill, table = get_fill(user, table_id, fill_id=fill_id)
    shape = table_shape(table)
    states = [params["state"]] if "state" in params else []
    found = results_of(
        fill, states=states, confidence=params.get("confidence", ""), unverified=params.get("unverified")
    )
    offset = params.get("offset", 0)
    page = list(found[offset : offset + params.get("limit", 20)])
    reviews = review_states(page, table=table, shape=shape)
    return {
        "fill": _fill(fill, shape=shape, counts=counts_of([fill.pk])[fill.pk]),
        "results": [_result(each, shape=shape, review=reviews.get(each.row_id, "")) for each in page],
        "results_total": found.count(),
    }


def _result(result: Result, *, shape: TableShape, review: str) -> Json:
    """Return a result without members that are empty."""
    columns = {key: column for key in result.values if (column := shape.column(key)) is not None}
    shown: Json = {
        "row_id": result.row_id,
        "state": result.state,
        "review": review,
        "values": {column.name: sent_value(result.values[key], column=column) for key, column in columns.items()},
        "confidence": result.confidence,
        "note": result.note,
        "sources": [source["url"] for source in result.sources],
        "unverified": result.is_unverified,
        "error": _text(result.error),
    }
    return {name: value for name, value in shown.items() if value}


def _text(stored: Any) -> str:
    return str(Message.from_json(stored)) if stored else ""


register_tool(
    ToolConfig(
        name="get_fills",
        description="Gives the fills of the open table (columns that the model fills row by row), the newest first, "
        "with their state and the number of results. With `fill`, gives results of that fill in the order of its rows. "
        "`review` says whether the row has the values already (applied). Results are applied by the user on the page.",
        input_schema={
            "type": "object",
            "properties": {
                "fill": {"type": "string", "maxLength": 36, "description": "The id of a fill."},
                "state": {"enum": list(COUNTED_STATES)},
                "confidence": {"enum": list(CONFIDENCES)},
                "unverified": {"type": "boolean", "description": "Only results with or without unverified sources."},
                "offset": {"type": "integer", "minimum": 0},
                "limit": {"type": "integer", "minimum": 1, "maximum": MAX_RESULTS},
            },
            "additionalProperties": False,
        },
        executor=execute,
        label="Read fills",
        category="tables",
        icon="list-plus",
    )
)
