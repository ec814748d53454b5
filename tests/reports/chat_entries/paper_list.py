"""Payload type paper_list: search results, shown in the floating panel."""
from __future__ import annotations

from typing import Any

from chat.payload_types import PayloadType, register_payload_type


def summarize(data: dict[str, Any]) -> str:
    """Return the line for the list of earlier payloads."""
    return f"Papers on “{data['words']}”: {len(data['papers'])}"


register_payload_type(
    PayloadType(
        name="paper_list",
        description="Papers that were found.",
        source="tool",
        schema={
            "type": "object",
            "properties": {
                "words": {"type": "string"},
                "papers": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"id": {"type": "integer"}, "title": {"type": "string"}},
                        "required": ["id", "title"],
                    },
                },
            },
            "required": ["words", "papers"],
        },
        llm_instructions=(
            "When search_papers has run, the user sees the papers it found in a panel. Do not list them again; say "
            "in a sentence which of them matter for what was asked, and why."
        ),
        frontend_config={"panel_width": "560px", "title": "Papers found", "icon": "book-open"},
        summarize=summarize,
    )
)
