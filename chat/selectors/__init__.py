"""Reads of the chat, on behalf of a user: objects of other users do not exist.

- `access`: visible conversations, ids from outside, the lock on a user
- `conversations`, `turns`, `payloads`: the objects of users
- `events_since`: what a new turn reports to the model
- `usage`: load, token counts and costs
- `figures`: statistics of turns by day, page, tab, version of the configuration and model
- `inspection`: conversations and traces for administrators
- `configuration`: overrides of administrators, and the catalogue with them
"""

from chat.selectors.conversations import (
    branch_ids,
    branch_ids_and_sizes,
    branch_sizes,
    conversations_for,
    export_conversations,
    get_answer,
    get_conversation,
    get_message,
    latest_conversation_id,
    load_exchanges,
    lock_conversation_query,
    lock_trial_conversation,
    message_page,
    search_conversations,
)
from chat.selectors.events_since import (
    BranchMessage,
    LastAnswer,
    TurnStart,
    events_since,
    last_answer,
    turn_start_query,
)
from chat.selectors.inspection import may_view_traces, trace_view
from chat.selectors.payloads import (
    PAYLOAD_STATUSES,
    get_payload,
    get_payload_of_turn,
    lock_payload,
    next_intention,
    operations_of,
    outcome_description,
    payload_manifest,
    review_of,
    status_description,
)
from chat.selectors.turns import (
    UserTurns,
    events_after,
    get_turn,
    lock_running_turn_query,
    may_try_drafts,
    retry_after_of,
    running_turn,
    stored_events,
    tip_and_running_turn,
    tool_calls_of,
    tool_history_entry,
    turn_by_client_id,
    user_turns_query,
)
from chat.selectors.usage import chat_load, cost_of, seconds_to_next_day, tokens_used

__all__ = [
    "PAYLOAD_STATUSES",
    "BranchMessage",
    "LastAnswer",
    "TurnStart",
    "UserTurns",
    "branch_ids",
    "branch_ids_and_sizes",
    "branch_sizes",
    "chat_load",
    "conversations_for",
    "cost_of",
    "events_after",
    "events_since",
    "export_conversations",
    "get_answer",
    "get_conversation",
    "get_message",
    "get_payload",
    "get_payload_of_turn",
    "get_turn",
    "last_answer",
    "latest_conversation_id",
    "load_exchanges",
    "lock_conversation_query",
    "lock_payload",
    "lock_running_turn_query",
    "lock_trial_conversation",
    "may_try_drafts",
    "may_view_traces",
    "message_page",
    "next_intention",
    "operations_of",
    "outcome_description",
    "payload_manifest",
    "retry_after_of",
    "review_of",
    "running_turn",
    "search_conversations",
    "seconds_to_next_day",
    "status_description",
    "stored_events",
    "tip_and_running_turn",
    "tokens_used",
    "tool_calls_of",
    "tool_history_entry",
    "trace_view",
    "turn_by_client_id",
    "turn_start_query",
    "user_turns_query",
]
