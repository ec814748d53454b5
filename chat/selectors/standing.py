"""How the chat stands in all processes together, for those who watch over it; small indexes answer."""
from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Sum

from chat.models import OpenStreams, Turn

# As long as a process that is there may keep silent about its streams.
SILENT = timedelta(seconds=30)


@dataclass(frozen=True)
class Standing:
    """How many turns run and how many streams of answers are open."""

    turns: int
    streams: int


def standing(*, now: datetime) -> Standing:
    """How things stand."""
    streams = OpenStreams.objects.filter(seen_at__gt=now - SILENT).aggregate(sum=Sum("count"))["sum"]
    return Standing(turns=Turn.objects.filter(state=Turn.State.RUNNING).count(), streams=streams or 0)
