"""Rules for style sheets: selectors that keep scrolling fast, no unused classes, distinct option colors."""

from __future__ import annotations

import math
import re
from itertools import combinations

import pytest

from tables.column_types.spec import OPTION_COLORS
from tests.architecture.tree import own_files, text_of

WORD = re.compile(r"[\w-]+")
SELECTOR = re.compile(r"[^{};]+(?=\{)")
CLASS = re.compile(r"\.([a-zA-Z][\w-]*)")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
OPTION = re.compile(r"--opt-(\w+): +light-dark\(oklch\(([\d. ]+)\), oklch\(([\d. ]+)\)\)")
ROW_OR_CELL_HAS = re.compile(r"(?<![\w-])t[rd](?::is\([^{};]*?)?:has\(")


def test_no_row_or_cell_is_styled_by_what_is_in_it() -> None:
    """With `:has()`, a browser restyles the whole row for each cell that is drawn. Scripts set a class instead."""
    found = [
        f"{path}: {selector.strip()}"
        for path in own_files(".css")
        for selector in SELECTOR.findall(text_of(path))
        if ROW_OR_CELL_HAS.search(selector) and "[data-op" not in selector
    ]
    assert found == []


def test_cells_of_a_grid_do_not_inherit_their_vertical_alignment() -> None:
    """The browsers' own `vertical-align: inherit` makes them restyle all cells of each row that is moved."""
    cells = re.search(r"& :is\(th, td\) \{([^}]*)\}", text_of_grid())
    assert cells
    assert "vertical-align: top" in cells[1]


def test_every_styled_class_is_used() -> None:
    """Some names are composed: `tag--${tone}`."""
    sources = (path for path in own_files(".js", ".html", ".py") if path.parts[0] != "tests")
    used = {word for path in sources for word in WORD.findall(text_of(path))}
    # Those of the admin are Django's own, those of the API explorer are Swagger UI's.
    sheets = [path for path in own_files(".css") if not path.name.startswith(("admin", "api_explorer"))]
    styled = {name for path in sheets for name in CLASS.findall(COMMENT.sub("", text_of(path)))}
    assert styled
    assert sorted(name for name in styled - used if name.partition("--")[0] + "--" not in used) == []


def text_of_grid() -> str:
    """Return the style sheet of the grid."""
    return next(text_of(path) for path in own_files(".css") if path.name == "grid.css")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_option_colors_differ_and_the_first_six_differ_clearly(scheme: str) -> None:
    """A distance of 0.02 in OKLab is just noticeable."""
    tokens = next(text_of(path) for path in own_files(".css") if path.name == "tokens.css")
    lab = {name: in_oklab(light if scheme == "light" else dark) for name, light, dark in OPTION.findall(tokens)}
    assert tuple(lab) == OPTION_COLORS
    alike = [
        (one, other)
        for one, other in combinations(OPTION_COLORS, 2)
        if math.dist(lab[one], lab[other]) < (0.05 if {one, other} <= {*OPTION_COLORS[:6]} else 0.04)
    ]
    assert alike == []


def in_oklab(oklch: str) -> tuple[float, float, float]:
    """Return lightness, a and b of "lightness chroma hue"."""
    lightness, chroma, hue = map(float, oklch.split())
    return lightness, chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
