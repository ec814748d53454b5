"""Statistics of turns by day, page, tab, version of the configuration and model, and the turns behind a number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import BigIntegerField, Count, F, QuerySet, Sum
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, TruncDate
from django.utils import timezone

from chat.models import Feedback, Figures
from chat.selectors.usage import cost_of

Json = dict[str, Any]

TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens")
DIMENSIONS = ("page", "tab", "configuration", "model")


@dataclass(frozen=True)
class TurnSelection:
    """Turns of these days (in the current time zone) with these values; None and "" select all.

    `tab` is "" for turns outside tabs, and `configuration` 0 for the defaults. `error`: an error code, or "any".
    `rating`: turns whose answer got this rating, or "any", on these days.
    """

    since: date | None = None
    until: date | None = None
    page: str = ""
    tab: str | None = None
    configuration: int | None = None
    model: str | None = None
    error: str = ""
    rating: str = ""

    def turns(self, *, trials: bool = False) -> QuerySet[Figures]:
        """Return the turns of users, or only those of trials of drafts by administrators."""
        turns = Figures.objects.filter(conversation__sandbox=trials, **self._values())
        if self.error:
            turns = turns.exclude(error_code="") if self.error == "any" else turns.filter(error_code=self.error)
        if self.rating:
            ratings = self.ratings() if self.rating == "any" else self.ratings().filter(rating=self.rating)
            return turns.filter(pk__in=ratings.values("message__turn"))
        return turns.filter(**self._days("started_at"))

    def ratings(self) -> QuerySet[Feedback]:
        """Return the ratings of answers of these turns that were last changed on these days."""
        return Feedback.objects.filter(**self._values("message__turn__"), **self._days("updated_at"))

    def _values(self, prefix: str = "") -> Json:
        values = {name: getattr(self, name) for name in DIMENSIONS} | {"page": self.page or None}
        return {f"{prefix}{name}": value for name, value in values.items() if value is not None}

    def _days(self, name: str) -> Json:
        days: Json = {}
        if self.since is not None:
            days[f"{name}__gte"] = _midnight(self.since)
        if self.until is not None:
            days[f"{name}__lt"] = _midnight(self.until + timedelta(days=1))
        return days


@dataclass
class TurnFigures:
    """Totals of turns; `tokens` by kind (input, output, read from the cache), `errors` by code.

    `cost` is in US dollars, None if no prices are set.
    """

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

    def add_turns(self, row: Json) -> None:
        """Add a row of `_turns`."""
        self.turns += row["turns"]
        self.dropped += row["left_out"]
        tokens = {name: row[f"sum_{name}"] or 0 for name in TOKENS}
        self.tokens.update(tokens)
        # None, if no prices are set, adds nothing.
        if (cost := cost_of(tokens, model=row["model"])) is not None:
            self.cost = (self.cost or Decimal(0)) + Decimal(cost)
        if row["error_code"]:
            self.errors[row["error_code"]] += row["turns"]

    def add_thumbs(self, row: Json) -> None:
        """Add a row of `_thumbs`."""
        self.thumbs[row["rating"]] += row["given"]


@dataclass
class DayFigures(TurnFigures):
    """Totals of a day."""

    day: date = date.min


class Statistics(NamedTuple):
    """Totals, also by day (oldest first), and by the value of each of DIMENSIONS (most turns first).

    Tabs have the key `(page, tab)`.
    """

    total: TurnFigures
    days: list[DayFigures]
    by: dict[str, dict[Any, TurnFigures]]


def statistics(selection: TurnSelection, *, days: int, now: datetime) -> Statistics:
    """Return statistics of the last `days` days including today, in the current time zone; two queries.

    Turns count on the day they started, ratings on the day they were last changed. The days of the selection are
    ignored.
    """
    today = timezone.localdate(now)
    since = today - timedelta(days=days - 1)
    selection = TurnSelection(**{**vars(selection), "since": since, "until": None})
    found = {day: DayFigures(day=day) for day in _days(today, count=days)}
    total, by = TurnFigures(), {name: dict[Any, TurnFigures]() for name in DIMENSIONS}
    for row, add in [
        *((row, TurnFigures.add_turns) for row in _turns(selection)),
        *((row, TurnFigures.add_thumbs) for row in _thumbs(selection)),
    ]:
        if (of_day := found.get(row["day"])) is None:
            continue
        add(of_day, row)
        add(total, row)
        for name, values in by.items():
            key = (row["page"], row["tab"]) if name == "tab" else row[name]
            add(values.setdefault(key, TurnFigures()), row)
    return Statistics(total, list(found.values()), {name: _sorted(values) for name, values in by.items()})


def _turns(selection: TurnSelection) -> Iterable[Any]:
    sums = {f"sum_{name}": Sum(Cast(KT(f"usage__{name}"), BigIntegerField())) for name in TOKENS}
    by_day = selection.turns().annotate(day=TruncDate("started_at"))
    counted = by_day.values("day", "error_code", *DIMENSIONS)
    return counted.annotate(turns=Count("pk"), left_out=Sum("dropped"), **sums).order_by()


def _thumbs(selection: TurnSelection) -> Iterable[Any]:
    dimensions = {name: F(f"message__turn__{name}") for name in DIMENSIONS}
    rated = selection.ratings().filter(message__turn__isnull=False)
    by_day = rated.annotate(day=TruncDate("updated_at")).values("day", "rating", **dimensions)
    return by_day.annotate(given=Count("pk")).order_by()


def _sorted(values: dict[Any, TurnFigures]) -> dict[Any, TurnFigures]:
    return dict(sorted(values.items(), key=lambda item: (-item[1].turns, str(item[0]))))


def _days(today: date, *, count: int) -> Iterator[date]:
    return (today - timedelta(days=back) for back in range(count - 1, -1, -1))


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
