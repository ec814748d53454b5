"""Keeps a proposal's status true when its change is undone or redone, in the same transaction."""
from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from chat.services import settle_by_proposal
from tables.signals import change_redone, change_undone


@receiver(change_undone)
def mark_undone(change: Any, **kwargs: Any) -> None:
    """`change` is the one that was taken back."""
    if change.proposal_id:
        settle_by_proposal(proposal_id=change.proposal_id, undone=True)


@receiver(change_redone)
def mark_redone(change: Any, **kwargs: Any) -> None:
    """`change` is the one that is in force again."""
    if change.proposal_id:
        settle_by_proposal(proposal_id=change.proposal_id, undone=False)
