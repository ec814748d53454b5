"""Reads of the chat, always on behalf of one person: another's objects do not exist."""
from chat.selectors.conversations import (
    branch_of,
    conversations_for,
    get_conversation,
    get_message,
    history_of,
    messages_of,
    notes_of,
)
from chat.selectors.payloads import (
    get_payload,
    intention_of,
    manifest_of,
    operations_of,
    outcome_words,
    settled_since,
    status_words,
)
from chat.selectors.tokens import seconds_to_next_day, tokens_used
from chat.selectors.traces import may_see_traces, trace_view
from chat.selectors.turns import (
    end_of,
    events_after,
    get_turn,
    late_tools,
    lost_events,
    running_turn_of,
    tool_calls_of,
    tool_entry,
    turn_of_client,
    wait_before_next_turn,
)

__all__ = [
    "branch_of",
    "conversations_for",
    "end_of",
    "events_after",
    "get_conversation",
    "get_message",
    "get_payload",
    "get_turn",
    "history_of",
    "intention_of",
    "late_tools",
    "lost_events",
    "manifest_of",
    "may_see_traces",
    "messages_of",
    "notes_of",
    "operations_of",
    "outcome_words",
    "running_turn_of",
    "seconds_to_next_day",
    "settled_since",
    "status_words",
    "tokens_used",
    "tool_calls_of",
    "tool_entry",
    "trace_view",
    "turn_of_client",
    "wait_before_next_turn",
]
