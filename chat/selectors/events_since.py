"""Reads what a turn has to tell the model: its earlier payloads, and what has happened since the answer before."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from chat.models import ActionRun, Message, Payload, Turn
from chat.selectors.actions import actions_since
from chat.selectors.payloads import manifest_of, settled_since
from chat.selectors.tokens import tokens_question
from chat.selectors.turns import late_calls, late_tools
from statements import Compiled, Question, ask

Json = dict[str, Any]


@dataclass(frozen=True)
class Said:
    """One message of a branch: who said it, the bytes of its exchange, and the exchange."""

    id: Any
    role: str
    size: int
    exchange: list[Json]


@dataclass(frozen=True)
class LastAnswer:
    """The message that a turn follows, with the one before it: `said` are both, the older one first, and `before_id` is
    what they follow. `ended_at` is the end of its turn; `any_…` says of what else there is anything to tell at all."""

    said: tuple[Said, ...]
    before_id: Any
    notes: list[str]
    ended_at: datetime | None
    any_payloads: bool
    any_settled: bool
    any_done: bool
    any_late: bool


@dataclass(frozen=True)
class Beginning:
    """What a turn finds when it begins: the answer it follows, and the tokens of the person's turns on that day."""

    last: LastAnswer | None
    tokens: int


@dataclass(frozen=True)
class News:
    """The manifest of earlier payloads with how many are older, and one line for each thing that happened."""

    manifest: list[dict[str, str]]
    older: int
    record: list[str]


def last_answer(message_id: Any) -> LastAnswer | None:
    """What the message is, what it follows, and what has happened since; one query."""
    return ask(_look(message_id))


def beginning(message_id: Any, *, user_id: Any, now: datetime) -> Question[Beginning]:
    """What a turn of this person finds now that follows this message."""
    look, tokens = _look(message_id), tokens_question(user_id, now=now)

    def read(*found: list[tuple[Any, ...]]) -> Beginning:
        *looked, used = found
        return Beginning(look.read(*looked), tokens.read(used))

    return Question((*look.statements, *tokens.statements), read)


def _look(message_id: Any) -> Question[LastAnswer | None]:
    if message_id is None:
        return Question((), lambda: None)
    return Question((LOOK.statement(message_id=message_id),), partial(_as_read, message_id))


def _as_read(message_id: Any, found: list[tuple[Any, ...]]) -> LastAnswer | None:
    if not found:
        return None
    own, before, (before_id, *rest) = found[0][:3], found[0][3:7], found[0][7:]
    above = [Said(before[0], *before[1:])] if before[0] is not None else []
    return LastAnswer((*above, Said(message_id, *own)), before_id if above else None, *rest)


def news_for(turn: Turn, *, branch: Sequence[Any], last: LastAnswer | None) -> News:
    """What this turn has to tell, which follows the branch up to `last`; no query as long as there is nothing."""
    if last is None:
        return News(manifest=[], older=0, record=[])
    conversation, ids = turn.conversation, list(branch)
    # Of the answer this follows: another branch may have ended later.
    moment = last.ended_at
    manifest, older = manifest_of(conversation, message_ids=ids) if last.any_payloads else ([], 0)
    settled = settled_since(conversation, message_ids=ids, moment=moment) if moment and last.any_settled else []
    done = actions_since(conversation, moment=moment) if moment and last.any_done else []
    late = late_tools(conversation, before=turn) if last.any_late else []
    return News(manifest=manifest, older=older, record=[*settled, *done, *last.notes, *late])


def _looked_at(message_id: Any) -> QuerySet[Message, tuple[Any, ...]]:
    """A message with the one before it, its notes and the end of its turn, and of what else there is to be told."""
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
        Exists(late_calls(turn__conversation=OuterRef("conversation_id"))),
    )


LOOK = Compiled(_looked_at, message_id=UUID)
