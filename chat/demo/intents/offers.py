"""Sentences offered to the person: each fits the page and its columns, and each is one the demo model understands."""

from __future__ import annotations

from chat.demo.page import Column, Page
from chat.demo.request import Turn

TABLES_LIST = (
    "Track my job applications with company, position, status and date applied",
    "I need a table for my vendors",
    "What tables do I have?",
)


def offers_for(turn: Turn, *, besides: str = "") -> list[str]:
    """Up to three sentences that work here; `besides` is left out, and so is what was just said."""
    page = turn.page
    if page.name == "tables_list":
        offers = list(TABLES_LIST)
    elif page.takes_data:
        offers = _for_rows(page)
    elif page.has_table:
        offers = _for_columns(page)
    else:
        offers = ["Help"]
    said = {besides.casefold(), turn.wish.casefold(), turn.words.casefold(), turn.words.casefold().rstrip("?")}
    return [offer for offer in offers if offer.casefold() not in said and offer.casefold().rstrip("?") not in said][:3]


def _for_rows(page: Page) -> list[str]:
    group = next((column for column in page.of_type("select", "boolean") if plain(column)), None)
    offers = []
    if not page.rows:
        offers.append("Add 5 sample rows")
    if page.rows and group:
        offers.append(f"How many per {group.name}?")
    else:
        offers.append("How many rows are there?")
    offers.append(_add_column(page))
    if page.rows:
        offers.append("Add 5 sample rows")
        offers.append("How many rows are there?")
    return offers


def _for_columns(page: Page) -> list[str]:
    offers = [_add_column(page)]
    last = next((column for column in reversed(page.columns) if plain(column) and not column.required), None)
    if last:
        offers.append(f"Make {last.name} required")
        offers.append(
            f"Move {last.name} to the start" if last is not page.columns[0] else f"Remove the {last.name} column"
        )
    return offers


def _add_column(page: Page) -> str:
    if page.column("Priority") is None:
        return "Add a Priority column with High, Medium, Low"
    return "Add a Notes column" if page.column("Notes") is None else "Add a Follow-up Date column"


def plain(column: Column) -> bool:
    """Whether a name can stand in an offered sentence: a short one of plain words."""
    name = column.name
    return 0 < len(name) <= 40 and all(letter.isalnum() or letter in " -_/'" for letter in name)
