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
from chat.selectors.payloads import get_payload, manifest_of, operations_of, settled_since
from chat.selectors.turns import (
    events_after,
    get_turn,
    last_end_of,
    lost_events,
    running_turn_of,
    tool_calls_of,
    turn_of_client,
    wait_before_next_turn,
)

__all__ = [
    "branch_of",
    "conversations_for",
    "events_after",
    "get_conversation",
    "get_message",
    "get_payload",
    "get_turn",
    "history_of",
    "last_end_of",
    "lost_events",
    "manifest_of",
    "messages_of",
    "notes_of",
    "operations_of",
    "running_turn_of",
    "settled_since",
    "tool_calls_of",
    "turn_of_client",
    "wait_before_next_turn",
]
