"""Usage of the chat: load of all processes, tokens of users, costs, and statistics by day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import BigIntegerField, Count, QuerySet, Sum
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, TruncDate
from django.utils import timezone

from chat.models import Feedback, Figures, OpenStreamCount, TokenUse, Turn
from chat.provider.configured import prices_of
from shared.db import CompiledQuery, Query, run_query

Json = dict[str, Any]

# Streams of a process that has not refreshed them for this long are not counted.
STREAM_TIMEOUT = timedelta(seconds=30)
TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens")
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


@dataclass
class DayFigures:
    """Statistics of a day; `tokens` by kind (input, output, read from the cache), `errors` by code.

    `cost` is in US dollars, None if no prices are set.
    """

    day: date
    turns: int = 0
    dropped: int = 0
    tokens: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    thumbs: Counter[str] = field(default_factory=Counter)
    cost: Decimal | None = None

    @property
    def failed(self) -> int:
        """Number of turns that ended with an error."""
        return self.errors.total()

    def add_cost(self, cost: Decimal | str | None) -> None:
        """Add costs in US dollars; None, if no prices are set, adds nothing."""
        if cost is not None:
            self.cost = (self.cost or Decimal(0)) + Decimal(cost)

    def add(self, other: DayFigures) -> None:
        """Add the statistics of another day."""
        self.turns += other.turns
        self.dropped += other.dropped
        self.tokens += other.tokens
        self.errors += other.errors
        self.thumbs += other.thumbs
        self.add_cost(other.cost)


def figures_by_day(*, days: int, now: datetime) -> list[DayFigures]:
    """Return statistics of the last `days` days including today, oldest first, in the current time zone; two queries.

    Turns count on the day they started, ratings on the day they were last changed.
    """
    today = timezone.localdate(now)
    found = {day: DayFigures(day) for day in _days(today, count=days)}
    since = timezone.make_aware(datetime.combine(today - timedelta(days=days - 1), time.min))
    for row in _turns(since):
        if (figures := found.get(row["day"])) is not None:
            figures.turns += row["turns"]
            figures.dropped += row["left_out"]
            tokens = {name: row[f"sum_{name}"] or 0 for name in TOKENS}
            figures.tokens.update(tokens)
            figures.add_cost(cost_of(tokens, model=row["model"]))
            if row["error_code"]:
                figures.errors[row["error_code"]] += row["turns"]
    thumbs = Feedback.objects.filter(updated_at__gte=since).annotate(day=TruncDate("updated_at"))
    for row in thumbs.values("day", "rating").annotate(given=Count("pk")).order_by():
        if (figures := found.get(row["day"])) is not None:
            figures.thumbs[row["rating"]] += row["given"]
    return list(found.values())


def total_of(days: list[DayFigures]) -> DayFigures:
    """Return the sum of these days, with the last one as its day."""
    total = DayFigures(days[-1].day)
    for figures in days:
        total.add(figures)
    return total


def _days(today: date, *, count: int) -> Iterator[date]:
    return (today - timedelta(days=back) for back in range(count - 1, -1, -1))


def _turns(since: datetime) -> QuerySet[Figures, Any]:
    sums = {f"sum_{name}": Sum(Cast(KT(f"usage__{name}"), BigIntegerField())) for name in TOKENS}
    # Trials of drafts by administrators do not count.
    used = Figures.objects.filter(started_at__gte=since, conversation__sandbox=False)
    by_day = used.annotate(day=TruncDate("started_at"))
    counted = by_day.values("day", "error_code", "model").annotate(turns=Count("pk"), left_out=Sum("dropped"), **sums)
    return counted.order_by()


TOKENS_USED = CompiledQuery(lambda **key: TokenUse.objects.filter(**key).values_list("tokens"), user_id=int, day=date)
