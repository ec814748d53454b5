"""One plainly asked row: "add a row: Acme, Engineer, Applied", "add Acme as Engineer", "add a row for Acme"."""

from __future__ import annotations

import re
from typing import Any

from chat.demo.intents.offers import offers_for
from chat.demo.intents.samples import without_values
from chat.demo.language.dates import span
from chat.demo.language.numbers import number
from chat.demo.language.words import and_list, key, shown, split_list, tokens, unquote
from chat.demo.meaning.assignments import named_column
from chat.demo.meaning.values import Misfit, as_truth, value_for
from chat.demo.meaning.wording import value_in_words
from chat.demo.page import Column, Page
from chat.demo.reply import Reply, propose_data, say, use
from chat.demo.request import Turn

Json = dict[str, Any]
_FLAGS = re.IGNORECASE | re.DOTALL
_VERB = r"(?:add|insert|create|put(?: in)?|enter|record|log|append|include|save|new)"
_ROW = r"(?:rows?|entry|record|line|item)"
_FORMS = (
    re.compile(
        rf"^{_VERB}\s+(?:me\s+)?(?:an?|one|the|another|this)?\s*(?:new\s+|single\s+)?(?P<noun>[\w'-]+(?: "
        rf"[\w'-]+)?)?\s*(?::|–|\s-\s)\s*(?P<values>.+)$",
        _FLAGS,
    ),
    re.compile(
        rf"^{_VERB}\s+(?:an?|one|another)?\s*(?:new\s+|single\s+)?(?P<noun>[\w'-]+(?: [\w'-]+)?)\s+(?P<join>for|to"
        rf"|with|where|of|from|at|named|called|about|in which)\s+(?P<values>.+)$",
        _FLAGS,
    ),
    re.compile(rf"^{_VERB}\s+(?:an?\s+|one\s+)?(?:new\s+)?(?P<noun>[\w'-]+)\s+(?P<values>.+)$", _FLAGS),
    re.compile(rf"^{_VERB}\s+(?:(?:an?|one|the)?\s*(?:new\s+)?{_ROW}\s+)?(?P<values>.+)$", _FLAGS),
)
_NOTHING_SAID = re.compile(
    rf"^{_VERB}\s+(?:me\s+)?(?:an?|one|another|the)?\s*(?:new\s+|single\s+|empty\s+)*(?P<noun>[\w'-]+(?: [\w'-]+)?)$",
    _FLAGS,
)
_TAIL = re.compile(r"\s+(?:to|in|into|on) (?:the|this|my) (?:table|list|\w+ (?:table|list))$", _FLAGS)
_NOT_A_ROW = re.compile(
    r"\b(?:columns?|fields?|samples?|examples?|options?|table|random|dummy|test data|made[- ]up|duplicates?)\b", _FLAGS
)


def add_row(turn: Turn) -> Reply | None:
    """Written directly where the page has the tool for it, else proposed."""
    page = turn.page
    wish = _TAIL.sub("", turn.wish)
    listed = wish != turn.wish
    if not page.takes_data or _NOT_A_ROW.search(without_values(wish)):
        return None
    data = _read(wish, page=page, listed=listed)
    if data is None:
        return None
    if isinstance(data, str):
        return say(data, offers=offers_for(turn))
    missing = [column for column in page.columns if column.required and column.name not in data]
    if missing:
        names = and_list([shown(column.name) for column in missing])
        return say(
            f"A row needs {names} too. Tell me the whole row, for example “Add a row: …”.", offers=offers_for(turn)
        )
    told = and_list([f"{shown(name)} {value_in_words(value)}" for name, value in data.items()])
    if "create_row" not in turn.tools:
        return propose_data(
            f"This adds one row: {told}.", reasoning="Add one row", operations=[{"action": "add", "data": data}]
        )
    answer = turn.answer("create_row")
    if answer is None:
        return use("create_row", {"data": data})
    if answer.is_error:
        return say(f"The row was not added: {shown(answer.text, limit=200)}", offers=offers_for(turn))
    return say(f"Added one row: {told}. You can undo it on the card above.", offers=offers_for(turn))


def _read(wish: str, *, page: Page, listed: bool) -> Json | str | None:
    empty = _NOTHING_SAID.match(wish)
    if empty and _is_row(empty["noun"], page=page):
        return (
            "Tell me what is to stand in the row, for example “Add a row: "
            + ", ".join(f"{shown(c.name)} …" for c in page.columns[:2])
            + "”."
        )
    for index, form in enumerate(_FORMS):
        found = form.match(wish)
        if found is None:
            continue
        noun = (found.groupdict().get("noun") or "").strip()
        if index < 3 and noun and not _is_row(noun, page=page):
            continue
        values = found["values"].strip(" .")
        if index == 1 and found["join"].casefold() in ("at", "from", "of", "in which"):
            values = f"{found['join']} {values}" if found["join"].casefold() == "at" else values
        data = _cells(values, page=page, sure=index < 3 or listed)
        if data:
            return data
    return None


def _is_row(noun: str, *, page: Page) -> bool:
    """ "row", or one of what the table is about ("application")."""
    about = set(tokens(page.table_name))
    return bool(re.fullmatch(_ROW, noun, _FLAGS)) or (bool(about) and set(tokens(noun)) <= about)


def _cells(text: str, *, page: Page, sure: bool) -> Json | str | None:
    """The cells of a list of values; `sure` when a row was named, so that a misfit is worth a sentence."""
    text = re.sub(r"\s+/\s+", ", ", text)
    parts = split_list(
        re.sub(
            r"\s+(?:with|where|having)\s+", ", ", re.sub(r"\s+as\s+(?:an?\s+)?", ", ", text, flags=_FLAGS), flags=_FLAGS
        )
    )
    data: Json = {}
    loose: list[str] = []
    for part in parts:
        at = re.match(r"^(?P<a>.+?)\s+(?:at|@)\s+(?P<b>.+)$", part, _FLAGS)
        pair = _pair(part, page=page)
        if pair is not None:
            value = value_for(pair[1], column=pair[0], today=page.today)
            if isinstance(value, Misfit):
                return value.why
            if value is not None:
                data[pair[0].name] = value
        elif at and len(page.of_type("text")) > 1:
            loose += [at["b"], at["a"]]
        elif (job := _job(part, page=page)) is not None:
            loose.append(job[0])
            data[job[2]] = job[1]
        else:
            loose.append(re.sub(r"^at\s+", "", part, flags=_FLAGS))
    misfit = _place_loose(loose, data=data, page=page)
    if misfit:
        return misfit if sure or len(parts) > 1 else None
    if not sure and len(data) < 2 and (not _looks_like_name(text) or page.column(text)):
        return None
    return data


def _job(part: str, *, page: Page) -> tuple[str, str, str] | None:
    """ "Hooli for Designer": where there is a column for positions, with its name."""
    found = re.match(
        r"^(?P<company>.+?)\s+for\s+(?:the\s+|an?\s+)?(?P<position>.+?)(?:\s+(?:role|position|job))?$", part, _FLAGS
    )
    column = next((c for c in page.of_type("text") if re.search(r"position|role|job", c.name, _FLAGS)), None)
    return (found["company"], found["position"], column.name) if found and column else None


def _pair(part: str, *, page: Page) -> tuple[Column, str] | None:
    """ "company: Acme", "status = Applied", "position Engineer"."""
    words = part.split()
    for size in range(min(4, len(words) - 1), 0, -1):
        name = " ".join(words[:size]).rstrip(":=")
        column = next((c for c in page.columns if key(c.name) == key(name)), None)
        column = column or (named_column(name, page=page) if size > 1 or words[0][-1] in ":=" else None)
        if column is not None:
            rest = re.sub(r"^\s*(?:is|=|:|to)\s+", "", " ".join(words[size:]), flags=_FLAGS).lstrip("=: ")
            return (column, rest) if rest else None
    day = page.column(words[0]) if len(words) > 1 else None
    if day is not None and day.type == "date" and span(" ".join(words[1:]), today=page.today):
        return day, " ".join(words[1:])
    split = re.match(r"^(?P<name>[^:=]+?)\s*[:=]\s*(?P<value>.+)$", part, _FLAGS)
    column = named_column(split["name"], page=page) if split else None
    return (column, split["value"]) if split and column else None


def _place_loose(values: list[str], *, data: Json, page: Page) -> str:
    """Values without a column go where their form fits, texts in the order of the columns. "" or what does not fit."""
    before = set(data)
    for place, text in enumerate(values):
        column = _home(unquote(text), taken=set(data), page=page)
        expected = page.columns[place] if place < len(page.columns) else None
        if (
            expected
            and column
            and column.type == "text"
            and expected.type == "select"
            and not before
            and column is not expected
        ):
            # "Acme, Engineer, Ghosted": listed in the columns' order, so that the third is meant as a status.
            column = expected
        if column is None:
            return f"I could not tell which column {shown(text)} belongs to. Say it as “column: value”."
        own_name = column.type == "boolean" and key(text) == key(column.name)
        value = True if own_name else value_for(text, column=column, today=page.today)
        if isinstance(value, Misfit):
            return value.why
        data[column.name] = value
    return ""


def _home(text: str, *, taken: set[str], page: Page) -> Column | None:
    free = [column for column in page.columns if column.name not in taken]
    for kind in ("select", "number", "date", "boolean", "text"):
        for column in free:
            if column.type == kind and _fits(text, column=column, page=page):
                return column
    return None


def _fits(text: str, *, column: Column, page: Page) -> bool:
    if column.type == "select":
        return column.option(text) is not None
    if column.type == "number":
        return number(text) is not None
    if column.type == "date":
        days = None if text.isdigit() else span(text, today=page.today)
        return days is not None and days.is_day
    if column.type == "boolean":
        return as_truth(text) is not None or key(text) == key(column.name)
    return True


def _looks_like_name(text: str) -> bool:
    """A name with a capital, so that "add something" is not taken for a row."""
    words = text.split()
    return 0 < len(words) <= 5 and (
        unquote(text) != text or all(word[:1].isupper() or word[:1].isdigit() for word in words)
    )
