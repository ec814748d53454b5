"""What a reader goes by where it is measured: the markers of all four kinds, and one proposal read as it comes."""
from __future__ import annotations

from chat.payload_types import PayloadType
from chat.reader import ReaderRules

MARKERS = {"SCHEMA_PROPOSAL": "{", "DATA_PROPOSAL": "{", "SUGGESTED_VALUES": "[", "SUGGESTED_ACTIONS": "["}
PROPOSAL = PayloadType(
    name="data_proposal",
    description="Rows",
    source="llm",
    parse_marker="DATA_PROPOSAL:",
    schema={"type": "object", "properties": {"operations": {"type": "array"}, "reasoning": {"type": "string"}}},
)
RULES = ReaderRules(markers=MARKERS, payloads={"DATA_PROPOSAL": PROPOSAL})
