"""Usage of the chat: load of all processes, tokens of users, and costs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Sum

from chat.models import OpenStreamCount, TokenUse, Turn
from chat.provider.configured import prices_of
from shared.db import CompiledQuery, Query, run_query

Json = dict[str, Any]

# Streams of a process that has not refreshed them for this long are not counted.
STREAM_TIMEOUT = timedelta(seconds=30)
MILLION = 1_000_000


@dataclass(frozen=True)
class ChatLoad:
    """Number of running turns and open streams."""

    turns: int
    streams: int


def chat_load(*, now: datetime) -> ChatLoad:
    """Return the load of all processes."""
    streams = OpenStreamCount.objects.filter(seen_at__gt=now - STREAM_TIMEOUT).aggregate(sum=Sum("count"))["sum"]
    return ChatLoad(turns=Turn.objects.filter(state=Turn.State.RUNNING).count(), streams=streams or 0)


def tokens_used(user_id: Any, *, now: datetime) -> int:
    """Return the tokens that the user's turns have used on the day of `now` in all processes."""
    return run_query(tokens_used_query(user_id, now=now))


def tokens_used_query(user_id: Any, *, now: datetime) -> Query[int]:
    """Return the query of `tokens_used`."""
    statement = TOKENS_USED.statement(user_id=user_id, day=now.astimezone(UTC).date())
    return Query((statement,), lambda found: int(found[0][0]) if found else 0)


def seconds_to_next_day(now: datetime) -> int:
    """Return the seconds until the day of `now` ends, at least 1."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return max(1, int((today + timedelta(days=1) - now).total_seconds()))


def cost_of(usage: Json, *, model: str) -> str | None:
    """Return the cost of these tokens in US dollars ("0.031200"), None if the model has no prices."""
    prices = prices_of(model)
    if prices is None:
        return None
    cached = usage.get("cache_read_tokens", 0)
    total = (
        (usage.get("input_tokens", 0) - cached) * prices.input
        + cached * (prices.input if prices.cached is None else prices.cached)
        + usage.get("output_tokens", 0) * prices.output
    )
    return str((Decimal(total) / MILLION).quantize(Decimal("0.000001")))


TOKENS_USED = CompiledQuery(lambda **key: TokenUse.objects.filter(**key).values_list("tokens"), user_id=int, day=date)
