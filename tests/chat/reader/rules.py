"""Reader rules for measurements: all four markers, and a proposal with progress."""
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
