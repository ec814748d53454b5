"""Writes of the chat; each public function is one transaction."""
from chat.services.conversations import delete_conversation, rename_conversation, restore_conversation
from chat.services.end_turn import Ending, PayloadRecord, end_turn
from chat.services.events import write_events
from chat.services.feedback import give_feedback
from chat.services.next_step import next_step_json, next_turn_id
from chat.services.payloads import (
    PreparedApply,
    apply_payload,
    dismiss_payload,
    prepare_apply,
    preview_payload,
    settle_by_proposal,
)
from chat.services.reviews import get_review, preview_with_review, save_review
from chat.services.running_turns import ask_to_cancel, keep_alive, record_tool_call, settle_tool_call, turns_to_cancel
from chat.services.stale_turns import INTERRUPTED, end_stale_turns
from chat.services.start_turn import Started, start_turn
from chat.services.stream_slots import (
    refresh_stream_slots,
    release_stale_stream_slots,
    set_stream_slots,
    take_stream_slot,
    take_stream_slot_query,
)
from chat.services.tokens import count_tokens
from chat.services.traces import TraceRecord, TraceTexts
from chat.services.turn_request import ImportedMessage, TurnRequest

__all__ = [
    "INTERRUPTED",
    "Ending",
    "ImportedMessage",
    "PayloadRecord",
    "PreparedApply",
    "Started",
    "TraceRecord",
    "TraceTexts",
    "TurnRequest",
    "apply_payload",
    "ask_to_cancel",
    "count_tokens",
    "delete_conversation",
    "dismiss_payload",
    "end_stale_turns",
    "end_turn",
    "get_review",
    "give_feedback",
    "keep_alive",
    "next_step_json",
    "next_turn_id",
    "prepare_apply",
    "preview_payload",
    "preview_with_review",
    "record_tool_call",
    "refresh_stream_slots",
    "release_stale_stream_slots",
    "rename_conversation",
    "restore_conversation",
    "save_review",
    "set_stream_slots",
    "settle_by_proposal",
    "settle_tool_call",
    "start_turn",
    "take_stream_slot",
    "take_stream_slot_query",
    "turns_to_cancel",
    "write_events",
]
