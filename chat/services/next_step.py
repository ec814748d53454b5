"""Going on after an applied proposal: what the assistant announced, in words that come from our own record."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid5

import strictjson
from chat.exceptions import Malformed
from chat.instructions import GOING_ON, NEXT
from chat.models import Payload
from chat.selectors import get_payload, intention_of, outcome_words
from user_messages import declare

NO_NEXT_STEP = declare(
    "no_next_step",
    "There is nothing to go on with: the proposal announced no next step, or nothing of it is applied.",
)

Json = dict[str, Any]


@dataclass(frozen=True)
class NextStep:
    """What a turn that goes on says: `intention` to the person, `words` to the model."""

    conversation_id: UUID
    intention: str
    words: str


def next_turn_id(payload_id: UUID) -> UUID:
    """The `client_turn_id` of the turn that goes on after a proposal: however many tabs ask for it, there is one."""
    return uuid5(payload_id, NEXT)


def next_step(*, user: Any, payload_id: Any) -> NextStep:
    """The step that this proposal announced, now that at least a part of it is applied. Raises NotFound, Malformed."""
    payload = get_payload(user, payload_id)
    intention = intention_of(payload)
    if not intention:
        raise Malformed(
            NO_NEXT_STEP(),
            code="no_next_step",
            path="action.data.payload_id",
        )
    # The intention stands there as JSON: whatever it says, it ends where it ends.
    words = GOING_ON.format(id=payload.pk, status=outcome_words(payload), intention=strictjson.dump(intention))
    return NextStep(conversation_id=payload.conversation_id, intention=intention, words=words)


def next_step_json(payload: Payload) -> Json | None:
    """What the page that applied a proposal needs to go on: `{"intention","client_turn_id"}`; None if nothing is."""
    intention = intention_of(payload)
    return {"intention": intention, "client_turn_id": str(next_turn_id(payload.pk))} if intention else None
