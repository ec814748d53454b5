"""Tool `get_payload`: the full data of an earlier payload of this conversation."""

from __future__ import annotations

from typing import Any

from chat.agent.tools import ToolConfig, ToolContext, register_tool
from chat.exceptions import NotFound, ToolFailure
from chat.selectors import get_payload_of_turn
from shared import strictjson


def execute(params: dict[str, Any], *, user: Any, context: ToolContext) -> str:
    """Return `{"id","type","status","summary","data","outcome"}`."""
    try:
        payload = get_payload_of_turn(user, params["payload_id"], conversation_id=context.conversation_id)
    except NotFound:
        raise ToolFailure("There is no such payload in this conversation.") from None
    return strictjson.dumps(
        {
            "id": str(payload.pk),
            "type": payload.type,
            "status": payload.status,
            "summary": payload.summary,
            "data": payload.data,
            "outcome": payload.outcome,
        }
    )


register_tool(
    ToolConfig(
        name="get_payload",
        description="Read a listed payload in full, with its outcome.",
        input_schema={
            "type": "object",
            "properties": {"payload_id": {"type": "string"}},
            "required": ["payload_id"],
            "additionalProperties": False,
        },
        executor=execute,
        label="View proposal",
        icon="diff",
        category="chat",
        is_global=True,
    )
)
