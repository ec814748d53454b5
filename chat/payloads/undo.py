"""Locks proposals before their changes are undone or redone, and updates their status and that of tool calls.

The receivers run in the transaction of the undo or redo.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.dispatch import receiver

from chat.services import lock_proposals, set_proposal_undone, set_tool_call_undone
from chat.tools.open_table import undo_reference
from tables.signals import change_redone, change_undone, pre_undo


@receiver(pre_undo)
def lock(proposal_ids: Sequence[Any], **kwargs: Any) -> None:
    """Lock the proposals before the table, in the order in which an undo or an apply of a payload locks them."""
    lock_proposals(proposal_ids)


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
