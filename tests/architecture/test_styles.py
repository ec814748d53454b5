"""Styles leave scrolling quick: what is in a cell says nothing about its row, unless a proposal is looked over."""

from __future__ import annotations

import math
import re
from itertools import combinations

import pytest

from tables.column_types.option_colors import OPTION_COLORS
from tests.architecture.tree import own_files, text_of

WORD = re.compile(r"[\w-]+")
SELECTOR = re.compile(r"[^{};]+(?=\{)")
CLASS = re.compile(r"\.([a-zA-Z][\w-]*)")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
OPTION = re.compile(r"--opt-(\w+): +light-dark\(oklch\(([\d. ]+)\), oklch\(([\d. ]+)\)\)")
INTO_A_ROW = re.compile(r"(?<![\w-])t[rd](?::is\([^{};]*?)?:has\(")


def test_no_row_or_cell_is_styled_by_what_is_in_it() -> None:
    """A browser would look at the whole row anew with each cell that is drawn; scripts set a class in place of that."""
    found = [
        f"{path}: {selector.strip()}"
        for path in own_files(".css")
        for selector in SELECTOR.findall(text_of(path))
        if INTO_A_ROW.search(selector) and "[data-op" not in selector
    ]
    assert found == []


def test_cells_of_a_grid_inherit_nothing_but_what_all_elements_do() -> None:
    """Browsers say `vertical-align: inherit` of cells: each row that is moved would have all its cells looked at."""
    cells = re.search(r"& :is\(th, td\) \{([^}]*)\}", text_of_grid())
    assert cells
    assert "vertical-align: top" in cells[1]


def test_every_class_that_is_styled_is_given_to_something() -> None:
    """Styles of what is drawn no longer would stay for ever. Some names are put together: `tag--${tone}`."""
    sources = (path for path in own_files(".js", ".html", ".py") if path.parts[0] != "tests")
    given = {word for path in sources for word in WORD.findall(text_of(path))}
    # Those of the admin are Django's own, those of the API explorer are Swagger UI's.
    sheets = [path for path in own_files(".css") if not path.name.startswith(("admin", "api_explorer"))]
    styled = {name for path in sheets for name in CLASS.findall(COMMENT.sub("", text_of(path)))}
    assert styled
    assert sorted(name for name in styled - given if name.partition("--")[0] + "--" not in given) == []


def text_of_grid() -> str:
    """The styles of the grid."""
    return next(text_of(path) for path in own_files(".css") if path.name == "grid.css")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colors_of_options_differ_and_those_of_the_first_six_clearly(scheme: str) -> None:
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
