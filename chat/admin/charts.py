"""Charts of days as plain shapes: what a template draws without a script, a library or a style."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import floor, log10

# Units of the drawing, which stretches to the width there is.
DAY, GAP, HEIGHT = 10, 2, 100
# What is no higher than that cannot be drawn, nor divided by.
NOTHING = 1e-9


@dataclass(frozen=True)
class Series:
    """What a colour of the chart stands for, with one number a day; `down`: drawn below the line."""

    label: str
    tone: str
    values: Sequence[float]
    down: bool = False


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
    """A day with its bars and what it says when pointed at."""

    said: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Chart:
    """A chart of stacked columns. `roof` is what its upper edge stands for; `floor` where its line lies."""

    title: str
    sum: str
    series: tuple[Series, ...]
    columns: tuple[Column, ...]
    roof: str
    floor: float
    width: int
    height: int = HEIGHT


def chart_of(title: str, *, sum_said: str, days: Sequence[date], series: Sequence[Series], unit: str = "") -> Chart:
    """Stacks the series day by day; a roundly numbered roof fits the highest stack."""
    up = _stacks([each for each in series if not each.down], count=len(days))
    down = _stacks([each for each in series if each.down], count=len(days))
    above, below = max(up, default=0), max(down, default=0)
    roof = round_roof(above) if above or not below else 0.0
    whole = roof + below
    scale = HEIGHT / whole if whole > NOTHING else 0.0
    line = roof * scale
    columns = tuple(
        Column(_said(day, series=series, at=at, unit=unit), tuple(_bars(series, at=at, line=line, scale=scale)))
        for at, day in enumerate(days)
    )
    label = f"{unit}{roof:,.{0 if roof >= 1 else 2}f}" if roof else ""
    return Chart(title, sum_said, tuple(series), columns, label, line, len(days) * DAY)


def round_roof(most: float) -> float:
    """The next number that reads well, so that not too much of the chart stays empty."""
    if most <= 0:
        return 1.0
    power: float = 10.0 ** floor(log10(most))
    return next((step * power for step in (1, 1.5, 2, 3, 4, 5, 6, 8) if step * power >= most), 10 * power)


def _stacks(series: Sequence[Series], *, count: int) -> list[float]:
    return [sum(each.values[at] for each in series) for at in range(count)]


def _bars(series: Sequence[Series], *, at: int, line: float, scale: float) -> list[Bar]:
    bars: list[Bar] = []
    top, bottom = line, line
    for each in series:
        height = each.values[at] * scale
        if not height:
            continue
        if each.down:
            bars.append(Bar(each.tone, at * DAY + GAP / 2, round(bottom, 2), round(height, 2)))
            bottom += height
        else:
            top -= height
            bars.append(Bar(each.tone, at * DAY + GAP / 2, round(top, 2), round(height, 2)))
    return bars


def _said(day: date, *, series: Sequence[Series], at: int, unit: str) -> str:
    parts = [f"{each.label} {unit}{each.values[at]:,.{2 if unit else 0}f}" for each in series]
    return f"{day.isoformat()}: {', '.join(parts)}"
