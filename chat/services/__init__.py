"""Writes of the chat; each public function is one transaction.

- `conversations`: conversations and ratings of answers
- `turns`: start, events and end of turns
- `payloads`, `reviews`: preview, review, apply and dismiss proposals
- `actions`: runs of server actions
- `notifications`: signals to the user's open pages
- `usage`: open streams and used tokens, which are limited for each user
- `traces`: diagnostics of ended turns
- `configuration`: changes by administrators, and results of checks of model servers
- `retention`: deletion of old data
"""

from chat.services.conversations import delete_conversation, give_feedback, rename_conversation, restore_conversation
from chat.services.payloads import (
    PreparedApply,
    apply_payload,
    dismiss_payload,
    lock_proposals,
    prepare_apply,
    preview_payload,
    set_proposal_undone,
    undo_payload,
    with_keys,
)
from chat.services.reviews import check_review, get_review, preview_with_review, save_review
from chat.services.traces import TraceRecord, TraceTexts
from chat.services.turns.end import Ending, PayloadRecord, end_turn
from chat.services.turns.request import ImportedMessage, TurnRequest, next_step_json, next_turn_id
from chat.services.turns.running import (
    record_tool_call,
    refresh_heartbeats,
    request_cancel,
    set_tool_call_undone,
    turns_to_cancel,
    write_events,
)
from chat.services.turns.stale import INTERRUPTED, INTERRUPTED_CODE, end_stale_turns
from chat.services.turns.start import StartedTurn, start_turn
from chat.services.usage import (
    count_tokens,
    refresh_stream_slots,
    release_stale_stream_slots,
    set_stream_slots,
    take_stream_slot,
    take_stream_slot_query,
)

__all__ = [
    "INTERRUPTED",
    "INTERRUPTED_CODE",
    "Ending",
    "ImportedMessage",
    "PayloadRecord",
    "PreparedApply",
    "StartedTurn",
    "TraceRecord",
    "TraceTexts",
    "TurnRequest",
    "apply_payload",
    "check_review",
    "count_tokens",
    "delete_conversation",
    "dismiss_payload",
    "end_stale_turns",
    "end_turn",
    "get_review",
    "give_feedback",
    "lock_proposals",
    "next_step_json",
    "next_turn_id",
    "prepare_apply",
    "preview_payload",
    "preview_with_review",
    "record_tool_call",
    "refresh_heartbeats",
    "refresh_stream_slots",
    "release_stale_stream_slots",
    "rename_conversation",
    "request_cancel",
    "restore_conversation",
    "save_review",
    "set_proposal_undone",
    "set_stream_slots",
    "set_tool_call_undone",
    "start_turn",
    "take_stream_slot",
    "take_stream_slot_query",
    "turns_to_cancel",
    "undo_payload",
    "with_keys",
    "write_events",
]
