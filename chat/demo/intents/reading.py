"""Reads the table with tools, page by page; what is too long to read is said, never guessed."""

from __future__ import annotations

from typing import Any

from chat.demo.intents.offers import offers_for
from chat.demo.language.numbers import spoken
from chat.demo.reply import Reply, say, use
from chat.demo.request import Turn

Json = dict[str, Any]
PAGE_ROWS = 200
# The tools that can read the selected rows alone.
OF_SELECTED = ("get_rows", "aggregate_rows")
# Texts are shown to the model up to this length.
MOST_CHARACTERS_SHOWN = 200
# One turn has five calls of the model; the last of them must answer.
_MOST_PAGES = 3


def read_all(turn: Turn, *, filter_: Json | None, text: str = "Let me read the rows.") -> list[Json] | Reply:
    """Every row that the filter leaves, or the reply that goes on reading or gives up."""
    pages = [answer for answer in turn.answers if answer.name == "get_rows"]
    if any(answer.is_error for answer in pages):
        return failed(turn)
    if any(not isinstance(answer.value, dict) for answer in pages):
        # What tools say in one turn is bounded; a reading that was cut is no JSON any more.
        return say("These rows are too long for me to read in one go, so I will not guess.", offers=offers_for(turn))
    rows = [row for answer in pages for row in answer.value.get("rows") or [] if isinstance(row, dict)]
    total = pages[-1].value.get("matching_rows") if pages else None
    if pages and not isinstance(total, int):
        return failed(turn)
    if isinstance(total, int) and total > _MOST_PAGES * PAGE_ROWS:
        return say(
            f"That takes reading {spoken(total)} rows one by one, more than I do in one go. "
            "I can count, add up, and find the lowest and highest in tables of any size.",
            offers=offers_for(turn),
        )
    # A page that brings nothing new ends the reading, whatever the count says.
    if isinstance(total, int) and (len(rows) >= total or not pages[-1].value.get("rows")):
        return rows
    given: Json = {"limit": PAGE_ROWS, "offset": len(rows), **({"filter": filter_} if filter_ else {})}
    return ask(turn, tool="get_rows", given=given, text=text)


def was_cut(cell: Any) -> bool:
    """Whether a cell is longer than what is shown of it."""
    return isinstance(cell, str) and len(cell) >= MOST_CHARACTERS_SHOWN and cell.endswith("…")


def ask(turn: Turn, *, tool: str, given: Json, text: str) -> Reply:
    """Runs a tool, with a word before the first one, or says that there is none here.

    A question about the selected rows is never answered by a tool that reads all of them.
    """
    if turn.about_selected:
        if not turn.page.ticked:
            return none_selected(turn)
        if tool not in OF_SELECTED:
            return say("I can do that for the whole table only, not for the selected rows.", offers=offers_for(turn))
        given = given | {"selected": True}
    if tool not in turn.tools:
        return say("I need the table's tools for that, and they are not available right now.")
    return use(tool, given, text="" if turn.answers else text)


def none_selected(turn: Turn) -> Reply:
    """The answer to a question about the selected rows where there are none."""
    return say("No rows are selected. Tick some in the table first.", offers=offers_for(turn))


def failed(turn: Turn) -> Reply:
    """A tool that did not answer as it should: said plainly, nothing is guessed."""
    return say(
        "I could not read that from the table just now, so I will not guess. Please try again.", offers=offers_for(turn)
    )
