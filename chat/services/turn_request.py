"""The validated request to start a turn."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from shared import strictjson
from shared.strictjson.invisible import is_blank

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
    - `shown`: it was just checked that the user may see the page's object.
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
    shown: bool = False
    model: str = ""

    @property
    def words(self) -> str:
        """The user's message for the model, with the chosen action."""
        if self.action is None:
            return self.message
        action = f"[Chosen action: {strictjson.dumps(self.action)}]"
        return f"{self.message}\n\n{action}" if not is_blank(self.message) else action
