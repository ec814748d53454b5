"""Updates the status of proposals and tool calls when their change is undone or redone.

The receivers run in the transaction of the undo or redo.
"""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from chat.services import set_proposal_undone, set_tool_call_undone
from chat.tools.open_table import undo_reference
from tables.signals import change_redone, change_undone


@receiver(change_undone)
def mark_undone(change: Any, **kwargs: Any) -> None:
    """Mark the proposal or tool call of this change as undone."""
    _settle(change, undone=True)


@receiver(change_redone)
def mark_redone(change: Any, **kwargs: Any) -> None:
    """Mark the proposal or tool call of this change as no longer undone."""
    _settle(change, undone=False)


def _settle(change: Any, *, undone: bool) -> None:
    if change.proposal_id:
        set_proposal_undone(proposal_id=change.proposal_id, undone=undone)
    elif change.turn_id:
        undo = undo_reference(table_id=change.table_id, change_id=change.pk)
        set_tool_call_undone(turn_id=change.turn_id, undo=undo, undone=undone)
