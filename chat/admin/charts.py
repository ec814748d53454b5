"""Layout of stacked bar charts by day, which a template draws as SVG without scripts or styles."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from math import floor, log10

# Units of the drawing, which is stretched to the available width: a day, the gap between days, the total height.
DAY, GAP, HEIGHT = 10, 2, 100
# Smaller numbers cannot be drawn, and dividing by them overflows.
MIN_SPAN = 1e-9
STEPS = (1, 1.5, 2, 3, 4, 5, 6, 8)


@dataclass(frozen=True)
class Series:
    """One number for each day, drawn in the colour `tone`; `negative`: below the baseline."""

    label: str
    tone: str
    values: Sequence[float]
    negative: bool = False


@dataclass(frozen=True)
class Bar:
    """A part of a day's column, in units of the drawing."""

    tone: str
    x: float
    y: float
    height: float
    width: int = DAY - GAP


@dataclass(frozen=True)
class Column:
    """The bars of a day, the tooltip with its numbers, and the URL of what it counts ("" without one)."""

    tooltip: str
    url: str
    x: int
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Chart:
    """A chart of stacked columns. `maximum` is the label of its upper edge, `baseline` the y coordinate of zero."""

    title: str
    total: str
    series: tuple[Series, ...]
    columns: tuple[Column, ...]
    maximum: str
    baseline: float
    width: int
    height: int = HEIGHT


def stacked_chart(
    title: str,
    *,
    total: str,
    days: Sequence[date],
    series: Sequence[Series],
    unit: str = "",
    url_of: Callable[[date], str] | None = None,
) -> Chart:
    """Stack the series day by day. `total` is the caption of the chart; `unit` is written before numbers.

    `url_of` returns the URL of what a day counts; days without numbers have none.
    """
    positive = _totals([each for each in series if not each.negative], count=len(days))
    negative = _totals([each for each in series if each.negative], count=len(days))
    above, below = max(positive, default=0), max(negative, default=0)
    maximum = round_up(above) if above or not below else 0.0
    span = maximum + below
    scale = HEIGHT / span if span > MIN_SPAN else 0.0
    baseline = maximum * scale
    columns = tuple(
        Column(
            _tooltip(day, series=series, index=index, unit=unit),
            url_of(day) if url_of and any(each.values[index] for each in series) else "",
            index * DAY,
            tuple(_bars(series, index=index, baseline=baseline, scale=scale)),
        )
        for index, day in enumerate(days)
    )
    label = f"{unit}{maximum:,.{0 if maximum >= 1 else 2}f}" if maximum else ""
    return Chart(title, total, tuple(series), columns, label, baseline, len(days) * DAY)


def round_up(value: float) -> float:
    """Return the next round number, at most about twice the value, so that most of the chart is used."""
    if value <= 0:
        return 1.0
    power: float = 10.0 ** floor(log10(value))
    return next((step * power for step in STEPS if step * power >= value), 10 * power)


def _totals(series: Sequence[Series], *, count: int) -> list[float]:
    return [sum(each.values[index] for each in series) for index in range(count)]


def _bars(series: Sequence[Series], *, index: int, baseline: float, scale: float) -> list[Bar]:
    bars: list[Bar] = []
    top = bottom = baseline
    x = index * DAY + GAP / 2
    for each in series:
        height = each.values[index] * scale
        if not height:
            continue
        if each.negative:
            bars.append(Bar(each.tone, x, round(bottom, 2), round(height, 2)))
            bottom += height
        else:
            top -= height
            bars.append(Bar(each.tone, x, round(top, 2), round(height, 2)))
    return bars


def _tooltip(day: date, *, series: Sequence[Series], index: int, unit: str) -> str:
    parts = [f"{each.label} {unit}{each.values[index]:,.{2 if unit else 0}f}" for each in series]
    return f"{day.isoformat()}: {', '.join(parts)}"
