"""Styles leave scrolling quick: what is in a cell says nothing about its row, unless a proposal is looked over."""

from __future__ import annotations

import re

from tests.architecture.tree import own_files, text_of

SELECTOR = re.compile(r"[^{};]+(?=\{)")
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


def text_of_grid() -> str:
    """The styles of the grid."""
    return next(text_of(path) for path in own_files(".css") if path.name == "grid.css")
