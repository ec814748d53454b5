"""Proposals for tables, stored as a turn stores them."""
from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from chat.models import Payload
from chat.proposals import ProposalContext
from chat.turns.answering.answer import check_payload
from tests.chat.stored_conversations import finish_turn, running_turn, turn_request

Json = dict[str, Any]


def stored_proposal(user: User, *, kind: str, data: Json, table_id: int | None = None) -> Payload:
    """Return a pending `data_proposal` or `schema_proposal`; without a table, one for a new table."""
    object_id = str(table_id or "")
    page = "tables_list" if table_id is None else "table_edit" if kind == "schema_proposal" else "table_view"
    context = {"current_page": page, "table_id": table_id}
    turn = running_turn(user, turn_request(page=page, object_id=object_id, context=context))
    context = ProposalContext(user=user, page=page, object_id=object_id, turn_id=str(turn.pk))
    outcome = check_payload({"type": kind, "data": data}, source="llm", context=context)
    assert outcome.record is not None, outcome.fault
    finish_turn(turn, payloads=(outcome.record,))
    return Payload.objects.get(pk=outcome.record.id)


def rows_proposal(user: User, *operations: Json, table_id: int) -> Payload:
    """Return a pending proposal for rows."""
    return stored_proposal(user, kind="data_proposal", data={"operations": list(operations)}, table_id=table_id)


def columns_proposal(user: User, *operations: Json, table_id: int) -> Payload:
    """Return a pending proposal for columns."""
    data = {"mode": "update", "reasoning": "Asked for.", "operations": list(operations)}
    return stored_proposal(user, kind="schema_proposal", data=data, table_id=table_id)


def apply_url(payload: Payload) -> str:
    return f"/api/chat/payloads/{payload.pk}/apply/"
