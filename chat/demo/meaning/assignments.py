"""Which cells are to become what: "status to Rejected", "notes = ghosted", "as done", "to Offer"."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from chat.demo.language.words import key, shown, split_list, tokens
from chat.demo.meaning.targets import Target, target_of
from chat.demo.meaning.values import Misfit, value_for
from chat.demo.page import Column, Page

_FLAGS = re.IGNORECASE | re.DOTALL
_ARTICLE = re.compile(r"^(?:the|their|its|his|her|my|all|every|each|a|an|whole|value of|column|field)\s+(?=\S)", _FLAGS)
_CONNECTOR = re.compile(
    r"\s+(?P<word>where|wherever|when|whenever|if|for|of|in|on|at|with|that|which|whose|who|everywhere)(?=\s|$)", _FLAGS
)


@dataclass
class Change:
    """Values by column name, and the rows they are for, if those were said. `fault` is a sentence."""

    values: dict[str, Any] = field(default_factory=dict)
    target: Target | None = None
    fault: str = ""
    unread: str = ""


def named_column(phrase: str, *, page: Page) -> Column | None:
    """The column of a phrase such as "the status column"."""
    text = phrase.strip(" ,")
    while (shorter := _ARTICLE.sub("", text, count=1)) != text:
        text = shorter
    text = (
        re.sub(r"\s+(?:columns?|fields?|values?|cells?|date)$", "", text, flags=_FLAGS)
        if page.column(text) is None
        else text
    )
    found = page.column(text)
    # "change all Applied to Rejected" speaks of an option, though "Date Applied" has that word too.
    return found if found is None or key(text) == key(found.name) or page.with_option(text) is None else None


def assign(column: Column, phrase: str, *, page: Page, target: Target | None = None) -> Change:
    """The value in `phrase`, and the rows that may follow it ("Rejected where date applied is before June")."""
    further = _further(phrase, page=page)
    if further is not None:
        first, second, rest = further
        change, more = assign(column, first, page=page, target=target), assign(second, rest, page=page, target=target)
        more.values = change.values | more.values
        more.fault, more.unread = change.fault or more.fault, change.unread or more.unread
        more.target = more.target or change.target
        return more
    whole = value_for(phrase, column=column, today=page.today)
    if target is not None or (column.type != "text" and not isinstance(whole, Misfit)):
        return _checked(column, whole, target=target)
    unread, fault = "", ""
    for found in _CONNECTOR.finditer(phrase):
        said = phrase[: found.start()].strip(" ,")
        value = value_for(said, column=column, today=page.today)
        if isinstance(value, Misfit):
            fault = fault or value.why
            continue
        condition = re.sub(
            r"\b(?:it is|it's|they are)\b", f"{column.name} is", _condition_text(phrase, found), flags=_FLAGS
        )
        rows = target_of(condition, page=page)
        if isinstance(rows, Target):
            return _checked(column, value, target=rows)
        if isinstance(rows, str):
            return Change(fault=rows)
        if found["word"].casefold() in ("where", "when", "if", "whenever", "wherever", "whose"):
            unread = unread or phrase[found.start() :].strip()
    if unread:
        return Change(values={column.name: None}, unread=unread)
    if isinstance(whole, Misfit) and fault:
        return Change(fault=fault)
    return _checked(column, whole, target=None)


def _condition_text(phrase: str, found: re.Match[str]) -> str:
    word = found["word"].casefold()
    if word == "everywhere":
        return "all"
    return phrase[found.end() if word in ("for", "of", "on", "in") else found.start() :].strip()


def _further(phrase: str, *, page: Page) -> tuple[str, Column, str] | None:
    """ "Rejected and notes to ghosted": where a second assignment begins."""
    for found in re.finditer(
        r"(?:\s*,\s*|\s+)(?:and|and also|then)\s+(?:set|change|put|make|update)?\s*(?P<col>[^,]{1,60}?)\s+(?:to"
        r"|=|as)\s+",
        phrase,
        _FLAGS,
    ):
        if re.search(r"\b(?:where|when|if|whose|whenever)\b", phrase[: found.start()], _FLAGS):
            # "where status = Applied and remote = yes" goes on with the condition.
            return None
        column = named_column(found["col"], page=page)
        if column is not None:
            return phrase[: found.start()], column, phrase[found.end() :]
    return None


def _checked(column: Column, value: Any, *, target: Target | None) -> Change:
    if isinstance(value, Misfit):
        return Change(fault=value.why)
    if value is None and column.required:
        return Change(fault=f"{shown(column.name)} must have a value, so I cannot empty it.")
    return Change(values={column.name: value}, target=target)


def names_columns(phrase: str, *, page: Page) -> bool:
    """Whether a value is the name of a column, or a list of several: "first and last name"."""
    parts = split_list(phrase)
    if len(parts) > 1:
        return all(page.column(part) is not None for part in parts)
    return any(key(phrase) == key(column.name) for column in page.columns)


def by_value(phrase: str, *, page: Page) -> tuple[Column, Any] | None:
    """The column and value that "as done" or "to Offer" mean: an option, or a yes-or-no column by its name."""
    text = re.sub(r"^(?:being|having been|to be|status|the status)\s+(?=\S)", "", phrase.strip(" ,."), flags=_FLAGS)
    if found := page.with_option(text):
        return found
    negated = re.match(r"^(?:not|un|non)[\s-]*(?:yet\s+)?(?P<rest>.+)$", text, _FLAGS)
    for words, truth in ((text, True), (negated["rest"] if negated else "", False)):
        columns = [
            c
            for c in page.of_type("boolean")
            if words and (key(words) == key(c.name) or set(tokens(words)) <= set(tokens(c.name)))
        ]
        if len(columns) == 1 and tokens(words):
            return columns[0], truth
    return None
