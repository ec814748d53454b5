"""Delete duplicates: rows that are equal in every cell, or in the columns named; the first of each stays."""

from __future__ import annotations

import re
from typing import Any

from chat.demo.intents.offers import offers_for
from chat.demo.intents.reading import ask, failed
from chat.demo.language.numbers import spoken
from chat.demo.language.words import and_list, shown, split_list
from chat.demo.meaning.assignments import named_column
from chat.demo.meaning.wording import no_column
from chat.demo.page import Column, Page
from chat.demo.reply import Reply, propose_data, say
from chat.demo.request import Turn

Json = dict[str, Any]
_FLAGS = re.IGNORECASE
_MOST_GROUPS = 100
_ASKS = re.compile(
    r"\b(?:duplicates?|duplicated?|doubles|doubled|de-?dup\w*|repeated|identical|same twice)"
    r"(?: (?:rows|entries|records|items|ones))?(?: (?:(?:in|from) )?(?:the|this|my) (?:table|list|rows|data))?\b"
    r"(?:.*?\b(?:by|in|on|with the same|based on|of)\s+(?:the\s+)?(?P<column>.+))?$",
    _FLAGS,
)
_DELETE = r"(?:delete|remove|drop|get rid of|clean|clear|merge|de-?dup\w*|eliminate|throw|purge|erase)"
_DELETES = re.compile(rf"^{_DELETE}\b", _FLAGS)
_SAME = re.compile(
    rf"^(?:{_DELETE}|which|what|are there|do any|find|list|show(?: me)?|how many)\b.*?"
    r"\b(?:with|have|has|having|share|shares|sharing)\s+the\s+same\s+(?P<column>.+)$",
    _FLAGS,
)
_KEEP = re.compile(
    r"^(?:only\s+|just\s+)?(?:keep|leave)\s+(?:only\s+|just\s+)?(?:one|1|a single|the first)(?:\s+\w+)?\s+"
    r"(?:of each|of every|per|for each|for every|from each|with each|in each|each)\s+(?P<column>.+)$",
    _FLAGS,
)


def find_duplicates(turn: Turn) -> Reply | None:
    """Counted, or proposed for deletion with the reason for each."""
    page, wish = turn.page, turn.wish.rstrip("? ")
    keeps = _KEEP.match(wish)
    found = keeps or _ASKS.search(wish) or _SAME.match(wish)
    if found is None or not page.has_table:
        return None
    said = (found["column"] or "").strip()
    columns = _columns(said, page=page)
    if said and not columns and found.re is not _ASKS:
        return None
    if said and not columns and not re.match(r"^(?:this|the|my)?\s*(?:table|list|rows?|here|data)\b", said, _FLAGS):
        return say(no_column(said), offers=offers_for(turn))
    answer = turn.answer("find_duplicates")
    if answer is None:
        given: Json = {"limit": _MOST_GROUPS, **({"columns": [column.name for column in columns]} if columns else {})}
        return ask(turn, tool="find_duplicates", given=given, text="Let me look.")
    found_all = answer.value if isinstance(answer.value, dict) else {}
    repeated = found_all.get("repeated_rows")
    if answer.is_error or not isinstance(repeated, int):
        return failed(turn)
    doubles = [row_id for group in found_all.get("groups") or [] for row_id in group["row_ids"][1:]]
    names = and_list([shown(column.name) for column in columns])
    same = f"the same {names}" if columns else "the same values in every cell"
    if not repeated:
        return say(f"I found no duplicates: no two rows have {same}.", offers=offers_for(turn))
    many = f"{spoken(repeated)} {'row' if repeated == 1 else 'rows'}"
    if not (keeps or _DELETES.match(wish)) or not page.takes_data:
        return say(
            f"{many} repeat an earlier row: they have {same}.", offers=["Delete the duplicates", *offers_for(turn)]
        )
    part = f" This proposal deletes the first {spoken(len(doubles))} of them." if len(doubles) < repeated else ""
    return propose_data(
        f"I found {many} with {same} as an earlier row. The first of each stays.{part}",
        reasoning="Delete duplicates; the first of each stays",
        operations=[{"action": "delete", "row_id": row_id, "reason": "Repeats an earlier row"} for row_id in doubles],
    )


def _columns(said: str, *, page: Page) -> list[Column]:
    """The columns of "company" or "company and position"; none if one of them is no column."""
    whole = named_column(said, page=page) if said else None
    named = [named_column(part, page=page) for part in split_list(said)] if whole is None else [whole]
    found = [column for column in named if column is not None]
    return found if len(found) == len(named) else []
