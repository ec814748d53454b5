"""Reads of the chat, always on behalf of one person: another's objects do not exist."""
from chat.selectors.conversations import (
    branch_of,
    branch_with_sizes,
    conversations_for,
    get_conversation,
    get_message,
    history_of,
    messages_of,
    sizes_of,
)
from chat.selectors.news import news_for
from chat.selectors.payloads import (
    get_payload,
    intention_of,
    manifest_of,
    operations_of,
    outcome_words,
    status_words,
)
from chat.selectors.tokens import seconds_to_next_day, tokens_used
from chat.selectors.traces import may_see_traces, trace_view
from chat.selectors.turns import (
    TurnsBefore,
    events_after,
    get_turn,
    lost_events,
    running_turn_of,
    tool_calls_of,
    tool_entry,
    turn_of_client,
    turns_before,
)

__all__ = [
    "TurnsBefore",
    "branch_of",
    "branch_with_sizes",
    "conversations_for",
    "events_after",
    "get_conversation",
    "get_message",
    "get_payload",
    "get_turn",
    "history_of",
    "intention_of",
    "lost_events",
    "manifest_of",
    "may_see_traces",
    "messages_of",
    "news_for",
    "operations_of",
    "outcome_words",
    "running_turn_of",
    "seconds_to_next_day",
    "sizes_of",
    "status_words",
    "tokens_used",
    "tool_calls_of",
    "tool_entry",
    "trace_view",
    "turn_of_client",
    "turns_before",
]
