"""Payload type reading_list: suggested papers in reading order, which the user can apply to the page."""
from __future__ import annotations

from typing import Any

from chat.payload_types import PayloadType, register_payload_type


def summarize(data: dict[str, Any]) -> str:
    """Return the line for the list of earlier payloads."""
    return f"A reading list of {len(data['entries'])}"


register_payload_type(
    PayloadType(
        name="reading_list",
        description="Papers to read, in order, each with a reason.",
        source="llm",
        parse_marker="READING_LIST:",
        schema={
            "type": "object",
            "properties": {
                "entries": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "properties": {
                            "paper_id": {"type": "integer"},
                            "title": {"type": "string"},
                            "reason": {"type": "string"},
                        },
                        "required": ["paper_id", "title", "reason"],
                        "additionalProperties": False,
                    },
                }
            },
            "required": ["entries"],
            "additionalProperties": False,
        },
        llm_instructions="""\
READING_LIST - when the user asks what to read, or in which order:

READING_LIST: {"entries": [{"paper_id": 3, "title": "Its title", "reason": "Why now, in a few words"}]}

The best first, at most seven. Ids and titles come from the current context or from tools.\
""",
        frontend_config={"panel_width": "420px", "title": "Reading list", "icon": "list-plus"},
        summarize=summarize,
    )
)
