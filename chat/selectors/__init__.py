"""Reads of the chat, always on behalf of one person: another's objects do not exist."""
from chat.selectors.conversations import (
    branch_of,
    branch_with_sizes,
    conversations_for,
    conversations_with,
    get_answer,
    get_conversation,
    get_message,
    history_of,
    locked_conversation,
    messages_of,
    sizes_of,
)
from chat.selectors.message_pages import page_of_messages
from chat.selectors.news import LastAnswer, Said, last_answer, news_for
from chat.selectors.payloads import (
    get_payload,
    intention_of,
    manifest_of,
    operations_of,
    outcome_words,
    status_words,
)
from chat.selectors.standing import standing
from chat.selectors.tokens import seconds_to_next_day, tokens_used
from chat.selectors.traces import may_see_traces, trace_view
from chat.selectors.turns import (
    TurnsBefore,
    events_after,
    get_turn,
    lost_events,
    may_try,
    running_turn_of,
    tool_calls_of,
    tool_entry,
    turn_of_client,
    turns_before,
)

__all__ = [
    "LastAnswer",
    "Said",
    "TurnsBefore",
    "branch_of",
    "branch_with_sizes",
    "conversations_for",
    "conversations_with",
    "events_after",
    "get_answer",
    "get_conversation",
    "get_message",
    "get_payload",
    "get_turn",
    "history_of",
    "intention_of",
    "last_answer",
    "locked_conversation",
    "lost_events",
    "manifest_of",
    "may_see_traces",
    "may_try",
    "messages_of",
    "news_for",
    "operations_of",
    "outcome_words",
    "page_of_messages",
    "running_turn_of",
    "seconds_to_next_day",
    "sizes_of",
    "standing",
    "status_words",
    "tokens_used",
    "tool_calls_of",
    "tool_entry",
    "trace_view",
    "turn_of_client",
    "turns_before",
]
