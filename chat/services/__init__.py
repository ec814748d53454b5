"""Writes of the chat; each public function is one transaction."""
from chat.services.conversations import delete_conversation, rename_conversation
from chat.services.finish import Ending, PayloadRecord, end_turn
from chat.services.payloads import apply_payload, dismiss_payload, preview_payload, settle_by_proposal
from chat.services.running import ask_to_cancel, keep_alive, record_tool_call, turns_to_cancel, write_events
from chat.services.stale import INTERRUPTED, end_stale_turns
from chat.services.start import ImportedMessage, TurnRequest, start_turn

__all__ = [
    "INTERRUPTED",
    "Ending",
    "ImportedMessage",
    "PayloadRecord",
    "TurnRequest",
    "apply_payload",
    "ask_to_cancel",
    "delete_conversation",
    "dismiss_payload",
    "end_stale_turns",
    "end_turn",
    "keep_alive",
    "preview_payload",
    "record_tool_call",
    "rename_conversation",
    "settle_by_proposal",
    "start_turn",
    "turns_to_cancel",
    "write_events",
]
