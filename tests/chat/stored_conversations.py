"""Store conversations, turns and proposals as a turn does, without running one."""
from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import uuid4

from django.utils import timezone

from chat.models import Payload, Turn
from chat.proposals import ProposalContext
from chat.services import Ending, TurnRequest, end_turn, start_turn
from chat.turns.answering.answer import check_payload

Json = dict[str, Any]


def turn_request(message: str = "Hello", *, note: str = "7", **fields: Any) -> TurnRequest:
    """Return a request for a turn on the notes page."""
    context = {"current_page": "notes", "note_id": note}
    values: Json = {"client_turn_id": uuid4(), "page": "notes", "object_id": note, "context": context}
    return TurnRequest(**{**values, "message": message, **fields})


def running_turn(
    user: Any, request: TurnRequest | None = None, *, now: datetime | None = None, turns_a_minute: int = 1_000
) -> Turn:
    """Return a running turn."""
    request = request or turn_request()
    return start_turn(user=user, request=request, now=now or timezone.now(), turns_a_minute=turns_a_minute).turn


def finish_turn(turn: Turn, *, text: str = "Done.", now: datetime | None = None, **fields: Any) -> Turn:
    """Return the turn with its answer."""
    exchange = [{"role": "assistant", "content": [{"type": "text", "text": text}]}]
    ending = Ending(**{"state": "complete", "text": text, "exchange": exchange, **fields})
    end_turn(turn_id=turn.pk, ending=ending, final=(1, {"type": "complete"}), now=now or timezone.now())
    turn.refresh_from_db()
    return turn


def make_proposal(user: Any, *names: str, note: str = "7", conversation_id: Any = "", **more: Any) -> Payload:
    """Return a pending proposal to create groups, at the end of a turn; `more` are other fields of the model's JSON."""
    turn = running_turn(user, turn_request(note=note, conversation_id=str(conversation_id)))
    outcome = check_payload(
        {"type": "note_proposal", "data": {"names": list(names), **more}},
        source="llm",
        context=ProposalContext(user=user, page="notes", object_id=note, turn_id=str(turn.pk)),
    )
    assert outcome.record is not None, outcome.fault
    finish_turn(turn, payloads=(outcome.record,))
    return Payload.objects.get(pk=outcome.record.id)
