"""Writes of the chat; each public function is one transaction.

- `turn_request`, `turn_position`, `next_step`, `start_turn`: start of a turn
- `running_turns`, `end_turn`, `stale_turns`: events, tool calls and end of a turn
- `stream_slots`, `tokens`, `traces`: records of running and ended turns
- `conversations`: conversations and ratings of answers
- `payloads`, `reviews`: preview, review, apply and dismiss proposals
- `actions`: runs of server actions
- `notifications`: signals to the user's open pages
- `configuration`, `configuration_file`, `orphaned_overrides`: changes by administrators
- `model_checks`: results of checks of model servers
- `retention`: deletion of old data
"""

from chat.services.conversations import delete_conversation, give_feedback, rename_conversation, restore_conversation
from chat.services.end_turn import Ending, PayloadRecord, end_turn
from chat.services.next_step import next_step_json, next_turn_id
from chat.services.payloads import (
    PreparedApply,
    apply_payload,
    dismiss_payload,
    prepare_apply,
    preview_payload,
    set_proposal_undone,
)
from chat.services.reviews import get_review, preview_with_review, save_review
from chat.services.running_turns import (
    record_tool_call,
    refresh_heartbeats,
    request_cancel,
    set_tool_call_undone,
    turns_to_cancel,
    write_events,
)
from chat.services.stale_turns import INTERRUPTED, end_stale_turns
from chat.services.start_turn import StartedTurn, start_turn
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
    "StartedTurn",
    "TraceRecord",
    "TraceTexts",
    "TurnRequest",
    "apply_payload",
    "count_tokens",
    "delete_conversation",
    "dismiss_payload",
    "end_stale_turns",
    "end_turn",
    "get_review",
    "give_feedback",
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
    "write_events",
]
