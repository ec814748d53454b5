"""A message in German on its way: into English, answered there, and the answer back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from chat.demo.german.answers import told
from chat.demo.german.language import ENGLISH, GERMAN, language_of
from chat.demo.german.wishes import understood
from chat.demo.german.words import COLUMNS, NAMES
from chat.demo.language.words import bare
from chat.demo.page import Page
from chat.demo.reply import Reply
from chat.demo.request import Turn

Json = dict[str, Any]
Answer = Callable[[Turn], Reply]
_ROWS = "DATA_PROPOSAL: "


def in_german(turn: Turn, *, answer: Answer) -> Reply | None:
    """The answer to a message in German; None where it is in another language."""
    language = language_of(turn.words, page=turn.page)
    # A message such as "Acme" or "12" is in the language of the one before it.
    language = language or language_of(turn.words_before, page=turn.page)
    if language == ENGLISH:
        return None
    # Help topics exist in English only.
    turn = replace(turn, tools=turn.tools - {"get_help"})
    opened = turn.open_proposal.type if turn.open_proposal else ""
    wish = understood(turn.words, page=turn.page, open_proposal=opened)
    if not wish:
        return told(answer(turn)) if language == GERMAN else None
    page, names = _read_in_english(turn.page) if wish.endswith("sample rows") else (turn.page, {})
    return told(_renamed(answer(replace(turn, words=wish, wish=bare(wish), page=page)), names=names))


def _read_in_english(page: Page) -> tuple[Page, dict[str, str]]:
    """The page as rows are made up for it: their values go by English names. And the names to go back by."""
    english = {german: name for name, german in reversed(COLUMNS.items())} | {there: name for name, there in NAMES.items()}
    taken = {column.name for column in page.columns}
    names = {new: name for name in (*taken, page.table_name) if (new := english.get(name, name)) not in taken}
    columns = tuple(replace(column, name=_new_name(column.name, names=names)) for column in page.columns)
    return replace(page, columns=columns, table_name=_new_name(page.table_name, names=names)), names


def _new_name(name: str, *, names: dict[str, str]) -> str:
    return next((new for new, old in names.items() if old == name), name)


def _renamed(reply: Reply, *, names: dict[str, str]) -> Reply:
    """The reply with the names that people gave."""
    if not names or not reply.element.startswith(_ROWS):
        return reply
    proposal = json.loads(reply.element.removeprefix(_ROWS))
    for operation in proposal["operations"]:
        operation["data"] = {names.get(name, name): cell for name, cell in operation["data"].items()}
    text = reply.text
    for new, old in names.items():
        text = text.replace(f" for {new}. ", f" for {old}. ")
    return replace(reply, text=text, element=_ROWS + json.dumps(proposal, ensure_ascii=False))
