"""What a person asks for when they start a turn, in its right form."""
from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import strictjson
from strictjson.invisible import is_blank

Json = dict[str, Any]


@dataclass(frozen=True)
class ImportedMessage:
    """A message of a conversation that was held elsewhere."""

    role: str
    text: str
    timestamp: datetime | None = None


@dataclass(frozen=True)
class TurnRequest:
    """What a person asks for, in its right form; `context` is the client's, `object_id` what its page is about.

    `from_beginning`: the message follows none, beside the conversation's first.
    `next_payload_id`: a proposal that was applied, after which the assistant does what it announced.
    `sandbox`: a draft of the configuration is tried, in a conversation that is nobody's otherwise.
    `model`: the name of the one that is to answer; as chosen, and from where the turn is stored the one that does.
    `shown`: the person was just shown what the page is about, and need not be asked again whether they may see it.
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
        """What the model reads as said by the person."""
        if self.action is None:
            return self.message
        chosen = f"[Chosen action: {strictjson.dump(self.action)}]"
        return f"{self.message}\n\n{chosen}" if not is_blank(self.message) else chosen
