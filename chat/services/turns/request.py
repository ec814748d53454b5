"""Requests to start a turn, and the next step of a proposal, which a request can execute."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from chat.exceptions import Malformed
from chat.instructions import GOING_ON, NEXT
from chat.models import Payload
from chat.selectors import get_payload, next_intention, outcome_description
from shared import strictjson
from shared.strictjson.invisible import is_blank
from shared.user_messages import declare

PROPOSAL_ELSEWHERE = declare("proposal_elsewhere", "The proposal belongs to another conversation.")
NO_NEXT_STEP = declare(
    "no_next_step",
    "There is nothing to continue: the proposal has no next step, or was not applied.",
)

Json = dict[str, Any]


@dataclass(frozen=True)
class ImportedMessage:
    """A message that was imported from another application."""

    role: str
    text: str
    timestamp: datetime | None = None


@dataclass(frozen=True)
class TurnRequest:
    """A validated request to start a turn; `context` is the client's, `object_id` the object of its page.

    - `from_beginning`: the message has no parent, as the first one of the conversation.
    - `next_payload_id`: the applied proposal whose announced next step the turn executes.
    - `sandbox`: a trial of a draft of the configuration, in a conversation that is not listed.
    - `model`: the name of the model, as the user chose it; once the turn is stored, the one that answers.
    - `uses_key`: whether `client_turn_id` stands for an idempotency key, which belongs to one request.
    - `tab`: the open tab, if the page has it; `configuration`: the version of the configuration.
    - `files`: the ids of the files that the user has added; `file_references`: references to them, once checked.
    - `shown`: whether the user's access to the page's object has just been checked.
    """

    client_turn_id: UUID
    page: str
    object_id: str
    context: Json
    message: str = ""
    conversation_id: str = ""
    parent_message_id: str = ""
    from_beginning: bool = False
    retry_of: str = ""
    history: tuple[ImportedMessage, ...] = ()
    interaction_type: str = "text_input"
    action: Json | None = None
    next_payload_id: UUID | None = None
    sandbox: bool = False
    uses_key: bool = False
    files: tuple[str, ...] = ()
    file_references: tuple[Json, ...] = ()
    shown: bool = False
    model: str = ""
    tab: str = ""
    configuration: int = 0

    @property
    def words(self) -> str:
        """The user's message for the model, with the chosen action."""
        if self.action is None:
            return self.message
        action = f"[Chosen action: {strictjson.dumps(self.action)}]"
        return f"{self.message}\n\n{action}" if not is_blank(self.message) else action


@dataclass(frozen=True)
class NextStep:
    """The message of a turn that continues: `intention` for the user, `model_text` for the model."""

    conversation_id: UUID
    intention: str
    model_text: str


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
    quoted, status = strictjson.dumps(intention), outcome_description(payload)
    model_text = GOING_ON.format(id=payload.pk, status=status, intention=quoted)
    return NextStep(conversation_id=payload.conversation_id, intention=intention, model_text=model_text)


def next_step_json(payload: Payload) -> Json | None:
    """Return `{"intention","client_turn_id"}` for the client to continue with, None if no step was announced."""
    intention = next_intention(payload)
    return {"intention": intention, "client_turn_id": str(next_turn_id(payload.pk))} if intention else None


def in_conversation_of_step(request: TurnRequest, *, step: NextStep) -> TurnRequest:
    """Return the request with the conversation of the proposal. Raises Malformed if it names another one."""
    if request.conversation_id not in ("", str(step.conversation_id)):
        raise Malformed(PROPOSAL_ELSEWHERE(), path="action.data.payload_id")
    return replace(request, conversation_id=str(step.conversation_id))
