"""Delete rows by a condition: "delete the rejected ones", "remove rows where company is Acme"."""

from __future__ import annotations

import re
from typing import Any

from chat.demo.intents.numbered_rows import numbered_rows
from chat.demo.intents.offers import offers_for, plain
from chat.demo.language.words import and_list, shown
from chat.demo.meaning.targets import Target, selected, target_of
from chat.demo.reply import Reply, propose_data, say
from chat.demo.request import Turn

Json = dict[str, Any]
_FLAGS = re.IGNORECASE | re.DOTALL
_DELETE = re.compile(
    r"^(?:delete|remove|drop|erase|get rid of|throw (?:out|away)|clear(?: out)?|trash|purge|eliminate|discard"
    r"|clean (?:up|out)|cut|take out|bin)\s+(?P<rows>.+)$",
    _FLAGS,
)
_ROW = re.compile(
    r"^(?:the\s+)?rows?\s+(?:number\s+|no\.?\s+|#\s*)?(?P<numbers>\d+(?:\s*(?:,\s*and|,|and|&)\s*\d+)*)$", _FLAGS
)
_FROM_TABLE = re.compile(r"\s+(?:from|in|of) (?:the|this|my) (?:table|list)$", _FLAGS)


def delete_rows(turn: Turn) -> Reply | None:
    """A proposal that deletes; never of the whole table at a word."""
    page = turn.page
    found = _DELETE.match(turn.wish)
    if (
        found is None
        or not page.has_table
        or re.search(r"\b(?:columns?|fields?|options?|duplicates?)$", turn.wish, _FLAGS)
    ):
        return None
    if not page.takes_data:
        return say(
            "Rows are deleted in the table itself. Open it, and tell me the same there.", offers=offers_for(turn)
        )
    if re.match(r"^(?:the|this|my)?\s*(?:whole |entire )?(?:table|list)$", found["rows"], _FLAGS):
        return say("A table is put in the trash from the Tables page. I change what is in it.", offers=offers_for(turn))
    phrase = _FROM_TABLE.sub("", found["rows"])
    if numbered := _ROW.match(phrase):
        return _delete_numbered(turn, numbers=[int(number) for number in re.findall(r"\d+", numbered["numbers"])])
    target = target_of(phrase, page=page)
    if target is None and re.match(r"^(?:the )?selection$", phrase, _FLAGS):
        target = selected(page)
    if target is None:
        return say(
            f"I could not tell which rows “{shown(phrase)}” means, so I propose no deletion. Name a column and "
            f"a value.",
            offers=_offers(turn),
        )
    if isinstance(target, str):
        return say(target, offers=_offers(turn))
    if target.is_all:
        return say(
            "Do you really mean every row? I do not propose to empty a whole table at a word. "
            "Tell me a condition, or select the rows in the table and delete them there.",
            offers=_offers(turn),
        )
    return _deletion(target, named=f"the rows {target.words}")


def _delete_numbered(turn: Turn, *, numbers: list[int]) -> Reply:
    numbers = list(dict.fromkeys(numbers))
    rows = numbered_rows(turn, numbers=numbers)
    if isinstance(rows, Reply):
        return rows
    target = Target(words="", row_ids=tuple(row.row_id for row in rows))
    named = f"row {numbers[0]}" if len(numbers) == 1 else f"rows {and_list([str(number) for number in numbers])}"
    return _deletion(target, named=named)


def _deletion(target: Target, *, named: str) -> Reply:
    return propose_data(
        f"This deletes {named}. Each of them is shown first, and an applied deletion can be undone.",
        reasoning=f"Delete {named}",
        operations=target.operations({"action": "delete"}),
    )


def _offers(turn: Turn) -> list[str]:
    for column in turn.page.of_type("select"):
        option = column.options[-1] if column.options else ""
        if plain(column) and option and option.replace(" ", "").isalnum() and len(option) < 30:
            return [f"Delete rows where {column.name} is {option}", *offers_for(turn)]
    return offers_for(turn)
