"""Applies the chosen operations of a proposal of a table, of whichever kind."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chat.payload_types import Applied, ProposalContext
from tables.operations import Choice, Origin

Json = dict[str, Any]


def applied_by(service: Callable[..., Any], *, resolved: Json, choice: Json, context: ProposalContext) -> Applied:
    """What came of it. Raises tables.exceptions.TablesError, having written nothing."""
    outcome = service(
        user=context.user,
        prepared=resolved,
        choice=Choice.read(choice),
        origin=Origin("proposal", proposal_id=context.payload_id, turn_id=context.turn_id or None),
    ).as_json()
    # What was like that already counts as done.
    whole = all(left["reason"] == "nothing_to_do" for left in outcome["skipped"])
    return Applied(status="applied" if whole else "partially_applied", outcome=outcome)
