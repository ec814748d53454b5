"""Option colours in the stylesheet: contrast in light and dark, and distances from each other."""
from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import pytest

from tables.column_types.spec import OPTION_COLORS

STATIC = Path(__file__).parents[2] / "static"
TOKENS = (STATIC / "css/tokens.css").read_text()
Oklch = tuple[float, float, float]
OKLCH = r"oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)"
# Distances in OKLab; about 0.02 is just visible between two adjacent areas.
MIN_DISTANCE, MIN_DISTANCE_OF_FIRST_SIX = 0.045, 0.055


def color(name: str, *, theme: str) -> Oklch:
    """Return the colour of a token in one theme."""
    match = re.search(rf"--{re.escape(name)}: +light-dark\({OKLCH}, +{OKLCH}\);", TOKENS)
    assert match, name
    lightness, chroma, hue = map(float, match.groups()[:3] if theme == "light" else match.groups()[3:])
    return lightness, chroma, hue


def oklab(color: Oklch) -> Oklch:
    lightness, chroma, hue = color
    return lightness, chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))


def luminance(color: Oklch) -> float:
    """Return the relative luminance as defined by WCAG, with the matrices of CSS Color 4."""
    lightness, a, b = oklab(color)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    red = 4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short
    green = -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short
    blue = -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short
    red, green, blue = (min(1.0, max(0.0, part)) for part in (red, green, blue))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: Oklch, second: Oklch) -> float:
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", OPTION_COLORS)
def test_option_texts_have_enough_contrast(name: str, theme: str) -> None:
    assert contrast(color(f"opt-{name}", theme=theme), color(f"opt-{name}-text", theme=theme)) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("count", "min_distance"), [(6, MIN_DISTANCE_OF_FIRST_SIX), (12, MIN_DISTANCE)])
def test_the_colors_differ_from_each_other(count: int, min_distance: float, theme: str) -> None:
    colors = {name: oklab(color(f"opt-{name}", theme=theme)) for name in OPTION_COLORS[:count]}
    pairs = itertools.combinations(colors, 2)
    too_close = [(first, second) for first, second in pairs if math.dist(colors[first], colors[second]) < min_distance]
    assert len(colors) == count
    assert too_close == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_option_colors_differ_from_change_highlights(theme: str) -> None:
    changes = [oklab(color(f"{kind}-bg-2", theme=theme)) for kind in ("add", "chg", "del")]
    too_close = [
        name
        for name in OPTION_COLORS
        for change in changes
        if math.dist(oklab(color(f"opt-{name}", theme=theme)), change) < 0.04
    ]
    assert too_close == []


def test_stylesheet_and_script_list_the_colors_in_order() -> None:
    rules = re.findall(r'\[data-c="(\w+)"\] \{ --opt: var\(--opt-(\w+)\)', (STATIC / "css/controls.css").read_text())
    assert rules == [(name, name) for name in OPTION_COLORS]
    script = (STATIC / "tables/column_types/select.js").read_text()
    match = re.search(r"OPTION_COLORS = \[(.*?)\];", script)
    assert match
    assert re.findall(r'"(\w+)"', match[1]) == list(OPTION_COLORS)
