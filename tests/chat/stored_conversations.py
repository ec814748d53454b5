"""Puts conversations, turns and proposals into the database the way a turn does, without running one."""
from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import uuid4

from django.utils import timezone

from chat.models import Payload, Turn
from chat.payload_types import ProposalContext
from chat.services import Ending, TurnRequest, end_turn, start_turn
from chat.turns.payload_checks import check_payload

Json = dict[str, Any]


def wish(message: str = "Hello", *, note: str = "7", **fields: Any) -> TurnRequest:
    """A wish for a turn on the page of notes."""
    context = {"current_page": "notes", "note_id": note}
    values: Json = {"client_turn_id": uuid4(), "page": "notes", "object_id": note, "context": context}
    return TurnRequest(**{**values, "message": message, **fields})


def started(user: Any, request: TurnRequest | None = None, *, now: datetime | None = None, most: int = 1_000) -> Turn:
    """A running turn."""
    return start_turn(user=user, request=request or wish(), now=now or timezone.now(), turns_a_minute=most).turn


def ended(turn: Turn, *, text: str = "Done.", now: datetime | None = None, **fields: Any) -> Turn:
    """The turn with its answer."""
    exchange = [{"role": "assistant", "content": [{"type": "text", "text": text}]}]
    ending = Ending(**{"state": "complete", "text": text, "exchange": exchange, **fields})
    end_turn(turn_id=turn.pk, ending=ending, final=(1, {"type": "complete"}), now=now or timezone.now())
    turn.refresh_from_db()
    return turn


def proposed(user: Any, *names: str, note: str = "7", conversation_id: Any = "", **more: Any) -> Payload:
    """A pending proposal to make groups of these names, at the end of a turn; `more` of what the model wrote."""
    turn = started(user, wish(note=note, conversation_id=str(conversation_id)))
    outcome = check_payload(
        {"type": "note_proposal", "data": {"names": list(names), **more}},
        source="llm",
        context=ProposalContext(user=user, page="notes", object_id=note, turn_id=str(turn.pk)),
    )
    assert outcome.record is not None, outcome.fault
    ended(turn, payloads=(outcome.record,))
    return Payload.objects.get(pk=outcome.record.id)
