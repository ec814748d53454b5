"""Statistics of the assistant by day: turns, errors, tokens, costs, ratings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import BigIntegerField, Count, QuerySet, Sum
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, TruncDate
from django.utils import timezone

from chat.models import Feedback, Figures
from chat.selectors.traces import cost_of

TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens")


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

    def spend(self, cost: Decimal | str | None) -> None:
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
        self.spend(other.cost)


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
            figures.spend(cost_of(tokens, model=row["model"]))
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
