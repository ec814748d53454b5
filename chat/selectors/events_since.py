"""Earlier payloads, and events since the previous answer, which a new turn reports to the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from chat.models import ActionRun, Conversation, Message, Payload, Turn
from chat.selectors.payloads import payload_manifest, settled_since
from chat.selectors.turns import late_tool_calls, late_tool_notes
from chat.selectors.usage import tokens_used_query
from shared.db import CompiledQuery, Query, run_query

Json = dict[str, Any]

MAX_ACTION_LINES = 20


@dataclass(frozen=True)
class BranchMessage:
    """A message of a branch with its exchange and the size of that in bytes."""

    id: Any
    role: str
    size: int
    exchange: list[Json]


@dataclass(frozen=True)
class LastAnswer:
    """The answer that a turn follows.

    `messages` are the message before the answer, if there is one, and the answer; `before_id` is the parent of the
    first. `ended_at` is the end of the answer's turn. `any_…` are the kinds of events that exist and must be queried.
    """

    messages: tuple[BranchMessage, ...]
    before_id: Any
    notes: list[str]
    ended_at: datetime | None
    any_payloads: bool
    any_settled: bool
    any_actions: bool
    any_late_tools: bool


@dataclass(frozen=True)
class TurnStart:
    """State at the start of a turn: the answer it follows, and the tokens that the user has used on that day."""

    last: LastAnswer | None
    tokens: int


@dataclass(frozen=True)
class EventsSince:
    """The manifest of earlier payloads, the number of payloads not in it, and one line for each event."""

    manifest: list[dict[str, str]]
    older: int
    record: list[str]


def last_answer(message_id: Any) -> LastAnswer | None:
    """Return the message as the answer that a turn follows, in one query."""
    return run_query(_last_answer_query(message_id))


def turn_start_query(message_id: Any, *, user_id: Any, now: datetime) -> Query[TurnStart]:
    """Return a query for the state at the start of a turn that follows this message."""
    answer, tokens = _last_answer_query(message_id), tokens_used_query(user_id, now=now)

    def read(*found: list[tuple[Any, ...]]) -> TurnStart:
        *answer_rows, token_rows = found
        return TurnStart(answer.read(*answer_rows), tokens.read(token_rows))

    return Query((*answer.statements, *tokens.statements), read)


def _last_answer_query(message_id: Any) -> Query[LastAnswer | None]:
    if message_id is None:
        return Query((), lambda: None)
    return Query((LAST_ANSWER.statement(message_id=message_id),), partial(_read_last_answer, message_id))


def _read_last_answer(message_id: Any, found: list[tuple[Any, ...]]) -> LastAnswer | None:
    if not found:
        return None
    own, before, (before_id, *rest) = found[0][:3], found[0][3:7], found[0][7:]
    above = [BranchMessage(before[0], *before[1:])] if before[0] is not None else []
    return LastAnswer((*above, BranchMessage(message_id, *own)), before_id if above else None, *rest)


def events_since(turn: Turn, *, branch: Sequence[Any], last: LastAnswer | None) -> EventsSince:
    """Return the manifest and the events since `last` for a turn that follows this branch; queries only if needed."""
    if last is None:
        return EventsSince(manifest=[], older=0, record=[])
    conversation, ids = turn.conversation, list(branch)
    # The end of this answer, because an answer on another branch may have ended later.
    moment = last.ended_at
    manifest, older = payload_manifest(conversation, message_ids=ids) if last.any_payloads else ([], 0)
    settled = settled_since(conversation, message_ids=ids, moment=moment) if moment and last.any_settled else []
    done = actions_since(conversation, moment=moment) if moment and last.any_actions else []
    late = late_tool_notes(conversation, before=turn) if last.any_late_tools else []
    return EventsSince(manifest=manifest, older=older, record=[*settled, *done, *last.notes, *late])


def actions_since(conversation: Conversation, *, moment: datetime) -> list[str]:
    """Return a line for the model for each of the newest 20 actions that were run after `moment`."""
    found = ActionRun.objects.filter(conversation=conversation, created_at__gt=moment).order_by("-created_at", "id")
    return [f"The action {run.action} was run: {run.message}" for run in reversed(found[:MAX_ACTION_LINES])]


def _last_answer_rows(message_id: Any) -> QuerySet[Message, tuple[Any, ...]]:
    """Return the columns of a message, of its parent, and whether there are payloads, actions and late tool calls."""
    payloads = Payload.objects.filter(conversation=OuterRef("conversation_id"))
    above = ("parent__pk", "parent__role", "parent__exchange_bytes", "parent__exchange", "parent__parent_id")
    return Message.objects.filter(pk=message_id).values_list(
        *("role", "exchange_bytes", "exchange", *above, "notes", "turn__ended_at"),
        Exists(payloads),
        Exists(payloads.filter(settled_at__gt=OuterRef("turn__ended_at"))),
        Exists(
            ActionRun.objects.filter(
                conversation=OuterRef("conversation_id"), created_at__gt=OuterRef("turn__ended_at")
            )
        ),
        Exists(late_tool_calls(turn__conversation=OuterRef("conversation_id"))),
    )


LAST_ANSWER = CompiledQuery(_last_answer_rows, message_id=UUID)
