"""The rows a change is for, as a proposal writes them: by row id, or by a condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chat.demo.language.words import key, unquote
from chat.demo.meaning.atoms import cond
from chat.demo.meaning.conditions import Rows, rows_meant
from chat.demo.meaning.view import shown_filter
from chat.demo.meaning.wording import condition_in_words
from chat.demo.page import Page

Json = dict[str, Any]
NONE_SELECTED = "No rows are selected. Tick some in the table, or tell me a condition."
SOME_OF_SELECTED = (
    "I can change the selected rows or those of a condition, but not only some of the selected ones. "
    "Tick just the rows you mean, or leave out “these”."
)


@dataclass(frozen=True)
class Target:
    """Rows by id or by filter; `words` follow "rows": "where Status is Applied"."""

    words: str
    row_ids: tuple[int, ...] = ()
    filter: Json | None = None
    is_all: bool = False

    def operations(self, operation: Json) -> list[Json]:
        """The operation once for each row, or once with the condition."""
        if self.filter is not None:
            return [{"action": operation["action"], "where": self.filter, **_rest(operation)}]
        return [{"action": operation["action"], "row_id": row_id, **_rest(operation)} for row_id in self.row_ids]


def _rest(operation: Json) -> Json:
    return {name: value for name, value in operation.items() if name != "action"}


def target_of(phrase: str, *, page: Page) -> Target | str | None:
    """The target of a phrase; a sentence if it cannot be used as things stand; None if it cannot be read."""
    rows = rows_meant(phrase, page=page) or _named(phrase, page=page)
    if rows is None:
        return None
    if rows.is_all:
        return Target(words="of the whole table", is_all=True)
    if rows.selected and rows.filter is not None:
        return SOME_OF_SELECTED if page.ticked else NONE_SELECTED
    if not rows.selected:
        assert rows.filter is not None
        return Target(words=f"where {condition_in_words(rows.filter, page=page)}", filter=rows.filter)
    ticked = selected(page)
    if isinstance(ticked, str) and key(phrase).startswith("all "):
        return Target(words="of the whole table", is_all=True)
    return ticked


def selected(page: Page) -> Target | str:
    """The ticked rows; where none is ticked, those that the page's filter leaves."""
    if page.selected_left_out:
        number = len(page.selected) + page.selected_left_out
        return (
            f"{number} rows are selected, and I see only {len(page.selected)} of them. Tick fewer, or tell me a "
            "condition."
        )
    if page.selected:
        return Target(words="that are selected", row_ids=tuple(row.row_id for row in page.selected))
    filter_ = shown_filter(page)
    if filter_ is not None and not page.search:
        return Target(words=f"that are shown, where {condition_in_words(filter_, page=page)}", filter=filter_)
    return NONE_SELECTED


def _named(phrase: str, *, page: Page) -> Rows | None:
    """ "Acme" or "the Acme row": a name that the naming column is to contain, though no row shown here holds it."""
    text = phrase.strip(" ,.")
    for lead in ("the row for ", "the entry for ", "the row of ", "row for ", "entry for ", "the "):
        if key(text).startswith(lead):
            text = text[len(lead) :]
            break
    for tail in (" row", " rows", " entry", " entries", " application", " record", " ones", " one", "'s"):
        text = text.removesuffix(tail)
    name = unquote(text)
    naming = next(iter(page.of_type("text")), None)
    is_name = name != text or (
        name[:1].isupper() and all(word[:1].isupper() or word[:1].isdigit() or len(word) < 4 for word in name.split())
    )
    if naming is None or not name or len(name.split()) > 5 or not is_name or page.column(name):
        return None
    if any(word in key(name).split() for word in ("and", "or", "where", "is", "column", "row", "rows", "all")):
        return None
    return Rows(filter={"and": [cond(naming, "contains", value=name)]})
