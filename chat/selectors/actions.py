"""Reads which server actions were run in a conversation."""
from __future__ import annotations

from datetime import datetime

from chat.models import ActionRun, Conversation

MOST_RUNS = 20


def actions_since(conversation: Conversation, *, moment: datetime) -> list[str]:
    """One line for each action that was run after `moment`, the newest 20 of them, as the model reads it."""
    found = ActionRun.objects.filter(conversation=conversation, created_at__gt=moment).order_by("-created_at", "id")
    return [f"The action {run.action} was run: {run.message}" for run in reversed(found[:MOST_RUNS])]
