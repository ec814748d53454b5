"""Keeps a proposal's status, and a tool's record, true when its change is undone or redone, in the same transaction."""
from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from chat.services import settle_by_proposal, settle_tool_call
from chat.tools.open_table import undo_of
from tables.signals import change_redone, change_undone


@receiver(change_undone)
def mark_undone(change: Any, **kwargs: Any) -> None:
    """`change` is the one that was taken back."""
    _settle(change, undone=True)


@receiver(change_redone)
def mark_redone(change: Any, **kwargs: Any) -> None:
    """`change` is the one that is in force again."""
    _settle(change, undone=False)


def _settle(change: Any, *, undone: bool) -> None:
    if change.proposal_id:
        settle_by_proposal(proposal_id=change.proposal_id, undone=undone)
    elif change.turn_id:
        undo = undo_of(table_id=change.table_id, change_id=change.pk)
        settle_tool_call(turn_id=change.turn_id, undo=undo, undone=undone)
