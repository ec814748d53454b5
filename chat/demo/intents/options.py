"""Change the options of a select column: "add Ghosted to Status", "rename the option Offer to Accepted"."""

from __future__ import annotations

import re
from typing import Any

from chat.demo.intents.column_changes import updating
from chat.demo.intents.offers import offers_for
from chat.demo.language.words import and_list, key, shown, split_list, unquote
from chat.demo.meaning.assignments import named_column
from chat.demo.page import Column, Page
from chat.demo.reply import Reply, say
from chat.demo.request import Turn

Json = dict[str, Any]
_FLAGS = re.IGNORECASE | re.DOTALL
_WORD = r"(?:options?|choices?|values?|status(?:es)?|categor(?:y|ies)|stages?|labels?)"
_ADD = (
    re.compile(
        rf"^(?:add|include|create|allow|append)\s+(?:an?\s+|the\s+|another\s+)?(?:new\s+)?(?:{_WORD}\s+)?"
        rf"(?P<new>.+?)(?:\s+as\s+(?:an?\s+)?(?:new\s+)?{_WORD})?\s+(?:to|for|in|of|on)\s+(?:the\s+)?(?:"
        rf"(?:options?|choices?|list) (?:of|for|in)\s+)?(?P<column>.+?)(?:'s)?(?:\s+(?:options?|choices?"
        rf"|list))?$",
        _FLAGS,
    ),
    re.compile(r"^(?P<column>.+?)\s+(?:should|must|can)\s+also\s+(?:be|allow|have|take)\s+(?P<new>.+)$", _FLAGS),
    re.compile(
        r"^(?:add|create|include)\s+(?:an?\s+|another\s+)?(?:new\s+)?(?P<new>\S+(?: \S+)?)\s+(?P<column>\S+)$", _FLAGS
    ),
    re.compile(
        r"^(?:add|create|include)\s+(?:an?\s+|another\s+)?new\s+(?P<column>\S+):?\s+(?P<new>\S+(?: \S+)?)$", _FLAGS
    ),
)
_REMOVE = re.compile(
    rf"^(?:remove|delete|drop|get rid of)\s+(?:the\s+)?(?P<said>{_WORD}\s+)?(?P<old>.+?)(?P<after>\s+{_WORD})?"
    rf"(?:\s+(?:from|of|in)\s+(?:the\s+)?(?P<column>.+?)(?:'s)?(?:\s+(?:options?|choices?))?)?$",
    _FLAGS,
)
_RENAME = re.compile(
    rf"^(?:rename|change|call)\s+(?:the\s+)?(?:{_WORD})\s+(?P<old>.+?)\s+(?:to|into|as)\s+(?P<new>.+?)(?:\s+"
    rf"(?:in|of|for)\s+(?:the\s+)?(?P<column>.+))?$",
    _FLAGS,
)


def change_options(turn: Turn) -> Reply | None:
    """A proposal with the full list of options as it is to be."""
    page = turn.page
    if not page.of_type("select"):
        return None
    return _rename(turn, page=page) or _add(turn, page=page) or _remove(turn, page=page)


def _add(turn: Turn, *, page: Page) -> Reply | None:
    for form in _ADD:
        found = form.match(turn.wish)
        column = named_column(found["column"], page=page) if found else None
        if found is None or column is None or column.type != "select":
            continue
        names = [unquote(item) for item in split_list(re.sub(r"\s+or\s+", ", ", found["new"]))]
        names = [name[:1].upper() + name[1:] for name in names if name]
        if not names or any(re.search(r"\b(?:rows?|column|sample|field)\b", name, _FLAGS) for name in names):
            return None
        there = [name for name in names if column.option(name)]
        if there:
            return say(f"{shown(column.name)} has the option {shown(there[0])} already.", offers=offers_for(turn))
        listed = and_list([shown(name) for name in names])
        return _with(
            turn,
            column=column,
            options=[*column.options, *names],
            says=f"This adds {listed} to the options of {shown(column.name)}.",
        )
    return None


def _remove(turn: Turn, *, page: Page) -> Reply | None:
    found = _REMOVE.match(turn.wish)
    if found is None or not (found["said"] or (found["column"] and not re.search(r"\btable|list$", found["column"]))):
        return None
    column = _column(found["column"], option=found["old"], page=page)
    option = column.option(found["old"]) if column else None
    if column is None or option is None:
        return None
    left = [each for each in column.options if each != option]
    return _with(
        turn,
        column=column,
        options=left,
        says=f"This takes {shown(option)} off the options of {shown(column.name)}. Rows that hold it are listed first.",
    )


def _rename(turn: Turn, *, page: Page) -> Reply | None:
    found = _RENAME.match(turn.wish)
    if found is None:
        return None
    column = _column(found["column"], option=found["old"], page=page)
    option = column.option(found["old"]) if column else None
    if column is None or option is None:
        return None
    new = unquote(found["new"])
    options = [new if each == option else each for each in column.options]
    says = f"This puts {shown(new)} in the place of {shown(option)} among the options of {shown(column.name)}."
    return _with(
        turn,
        column=column,
        options=list(dict.fromkeys(options)),
        says=f"{says} You choose what becomes of rows that hold {shown(option)}.",
    )


def _column(name: str | None, *, option: str, page: Page) -> Column | None:
    if name:
        column = named_column(name, page=page)
        return column if column is not None and column.type == "select" else None
    having = [column for column in page.of_type("select") if any(key(option) == key(each) for each in column.options)]
    return having[0] if len(having) == 1 else None


def _with(turn: Turn, *, column: Column, options: list[str], says: str) -> Reply:
    return updating(
        turn, says=says, operations=[{"action": "modify", "column_id": column.id, "changes": {"options": options}}]
    )
