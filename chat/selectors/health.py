"""Load of the chat in all processes, for monitoring."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Sum

from chat.models import OpenStreamCount, Turn

# Streams of a process that has not refreshed them for this long are not counted.
SILENT = timedelta(seconds=30)


@dataclass(frozen=True)
class ChatLoad:
    """Number of running turns and open streams."""

    turns: int
    streams: int


def chat_load(*, now: datetime) -> ChatLoad:
    """Return the load of all processes."""
    streams = OpenStreamCount.objects.filter(seen_at__gt=now - SILENT).aggregate(sum=Sum("count"))["sum"]
    return ChatLoad(turns=Turn.objects.filter(state=Turn.State.RUNNING).count(), streams=streams or 0)
