"""The next step that a proposal announces: the turn that continues after the proposal is applied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid5

from chat.exceptions import Malformed
from chat.instructions import GOING_ON, NEXT
from chat.models import Payload
from chat.selectors import get_payload, next_intention, outcome_description
from shared import strictjson
from shared.user_messages import declare

NO_NEXT_STEP = declare(
    "no_next_step",
    "There is nothing to continue: the proposal has no next step, or was not applied.",
)

Json = dict[str, Any]


@dataclass(frozen=True)
class NextStep:
    """The message of a turn that continues: `intention` for the user, `words` for the model."""

    conversation_id: UUID
    intention: str
    words: str


def next_turn_id(payload_id: UUID) -> UUID:
    """Return the `client_turn_id` of the turn that continues after a proposal: one per proposal, in all tabs."""
    return uuid5(payload_id, NEXT)


def next_step(*, user: Any, payload_id: Any) -> NextStep:
    """Return the next step of a proposal. Raises NotFound, and Malformed if nothing was announced or applied."""
    payload = get_payload(user, payload_id)
    intention = next_intention(payload)
    if not intention:
        raise Malformed(
            NO_NEXT_STEP(),
            code="no_next_step",
            path="action.data.payload_id",
        )
    # The intention is quoted as JSON, so that its text cannot be taken for a part of the instructions.
    words = GOING_ON.format(id=payload.pk, status=outcome_description(payload), intention=strictjson.dumps(intention))
    return NextStep(conversation_id=payload.conversation_id, intention=intention, words=words)


def next_step_json(payload: Payload) -> Json | None:
    """Return `{"intention","client_turn_id"}` for the client to continue with, None if no step was announced."""
    intention = next_intention(payload)
    return {"intention": intention, "client_turn_id": str(next_turn_id(payload.pk))} if intention else None
