"""Reads what a turn has to tell the model: its earlier payloads, and what has happened since the answer before."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from chat.models import ActionRun, Message, Payload, Turn
from chat.selectors.actions import actions_since
from chat.selectors.payloads import manifest_of, settled_since
from chat.selectors.turns import late_calls, late_tools

NOTHING = ((), None, False, False, False, False)


@dataclass(frozen=True)
class News:
    """The manifest of earlier payloads with how many are older, and one line for each thing that happened."""

    manifest: list[dict[str, str]]
    older: int
    record: list[str]


def news_for(turn: Turn, *, branch: list[Any]) -> News:
    """What this turn has to tell, which follows the branch; one query as long as there is nothing."""
    if not branch:
        return News(manifest=[], older=0, record=[])
    conversation = turn.conversation
    # Of the answer this follows: another branch may have ended later.
    notes, before, any_payloads, any_settled, any_done, any_late = next(iter(_looked_at(branch[-1])), NOTHING)
    manifest, older = manifest_of(conversation, message_ids=branch) if any_payloads else ([], 0)
    settled = settled_since(conversation, message_ids=branch, moment=before) if any_settled else []
    done = actions_since(conversation, moment=before) if any_done else []
    late = late_tools(conversation, before=turn) if any_late else []
    return News(manifest=manifest, older=older, record=[*settled, *done, *notes, *late])


def _looked_at(message_id: Any) -> QuerySet[Message, tuple[Any, ...]]:
    """A message's notes and the end of its turn, and of what else there is to be told anything at all."""
    payloads = Payload.objects.filter(conversation=OuterRef("conversation_id"))
    return Message.objects.filter(pk=message_id).values_list(
        "notes",
        "turn__ended_at",
        Exists(payloads),
        Exists(payloads.filter(settled_at__gt=OuterRef("turn__ended_at"))),
        Exists(
            ActionRun.objects.filter(
                conversation=OuterRef("conversation_id"), created_at__gt=OuterRef("turn__ended_at")
            )
        ),
        Exists(late_calls(turn__conversation=OuterRef("conversation_id"))),
    )
