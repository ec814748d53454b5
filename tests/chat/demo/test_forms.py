"""The page of documentation: every sentence it lists is understood where it says so."""

from __future__ import annotations

from pathlib import Path

import pytest

import chat.demo
from tests.chat.demo.asking import ACTIONS, ask
from tests.chat.demo.revising import revised
from tests.chat.demo.test_revised_columns import revised as revised_columns

ON_LIST, ON_TABLE = "## In German, on the list of tables", "## In German, on an open table"
ON_COLUMNS = "## In German, on an open table, and where its columns are edited"
WITH_TABLE = "## In German, while a proposal for a new table is open"
WITH_ROWS = "## In German, while a proposal for rows is open"
EVERYWHERE = "## In German, everywhere"
GERMAN = {
    ON_LIST: ("tables_list",), ON_TABLE: ("table_view",), ON_COLUMNS: ("table_view", "table_edit"),
    WITH_TABLE: ("proposed columns",), WITH_ROWS: ("a proposal",),
    EVERYWHERE: ("tables_list", "table_view", "table_edit"),
}  # fmt: skip
WITH_PROPOSAL = "## While a proposal for rows is open"
PAGES = {
    "## On the list of tables": ("tables_list",),
    "## On an open table": ("table_view",),
    "## While a proposal for a new table is open": ("proposed columns",),
    WITH_PROPOSAL: ("a proposal",),
    "## On an open table, and where its columns are edited": ("table_view", "table_edit"),
    "## Everywhere": ("tables_list", "table_view", "table_edit"),
    # What is listed for German stands below the headings that follow; `test_german_forms` tries it.
    "## In German": (),
} | dict.fromkeys(GERMAN, ())


def listed(headings: dict[str, tuple[str, ...]] = PAGES) -> list[tuple[str, str]]:
    """Each sentence below these headings, with each page it is listed for."""
    pages: tuple[str, ...] = ()
    found = []
    for line in (Path(chat.demo.__file__).parent / "FORMS.md").read_text(encoding="utf-8").splitlines():
        pages = headings.get(line, ()) if line.startswith("## ") else pages
        found += [(page, line.removeprefix("- ")) for page in pages if line.startswith("- ")]
    return found


@pytest.mark.parametrize(("page", "words"), listed(), ids=[f"{page}: {words}" for page, words in listed()])
def test_a_listed_sentence_is_understood(page: str, words: str) -> None:
    with_proposal = {"a proposal": revised, "proposed columns": revised_columns}.get(page)
    actions = ACTIONS if page == "table_view" else ()
    reply = with_proposal(words) if with_proposal else ask(words, page=page, actions=actions)

    for refusal in ("did not understand", "could not tell", "no column", "is not one of", "is not a number"):
        assert refusal not in reply.text
    assert with_proposal is None or "_PROPOSAL: " in reply.element


def test_there_are_many_of_them_below_headings_that_are_known() -> None:
    assert len(listed()) > 80
    assert len(listed(GERMAN)) > 100
    text = (Path(chat.demo.__file__).parent / "FORMS.md").read_text(encoding="utf-8")
    assert {line for line in text.splitlines() if line.startswith("## ")} == set(PAGES)
