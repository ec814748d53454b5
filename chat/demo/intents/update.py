"""Set a column where a condition holds: "set status to Rejected where date applied is before June"."""

from __future__ import annotations

import re
from typing import Any

from chat.demo.intents.offers import offers_for, plain
from chat.demo.language.words import and_list, shown
from chat.demo.meaning.assignments import Change, names_columns
from chat.demo.meaning.targets import Target, selected
from chat.demo.meaning.updates import change_meant
from chat.demo.meaning.wording import value_in_words
from chat.demo.page import Column, Page
from chat.demo.reply import Reply, propose_data, say
from chat.demo.request import Turn

Json = dict[str, Any]
_SETS = re.compile(r"^set\s+(?:the\s+)?(?:column\s+)?(?P<column>[\w -]{1,40}?)\s*(?:\sto\s|=)\s*\S", re.IGNORECASE)
CANNOT_COPY = (
    "I cannot copy or join the values of other columns. I can set one value, or fill a select column by the words in "
    "another column."
)


def update_rows(turn: Turn) -> Reply | None:
    """A proposal with the change, by condition or by the rows that are selected."""
    if not turn.page.has_table:
        return None
    change = change_meant(turn.wish, page=turn.page)
    if change is None:
        unknown = _SETS.match(turn.wish)
        if unknown is None or turn.page.column(unknown["column"]) is not None:
            return None
        return say(f"I see no column {shown(unknown['column'])} here.", offers=offers_for(turn))
    if not turn.page.takes_data:
        return say(
            "Values are changed in the table itself. Open it, and tell me the same there.", offers=offers_for(turn)
        )
    if change.fault:
        return say(change.fault, offers=offers_for(turn))
    if change.unread:
        return say(
            f"I could not tell which rows “{shown(change.unread)}” means. Say it with a column and a value, "
            "for example where a column is something, or select the rows and say “these”.",
            offers=offers_for(turn),
        )
    if any(_copies(name, value, page=turn.page) for name, value in change.values.items()):
        return say(CANNOT_COPY, offers=offers_for(turn))
    target = change.target or (selected(turn.page) if turn.page.selected else None)
    if isinstance(target, str):
        return say(target, offers=offers_for(turn))
    if target is None:
        return _which(turn, change=change)
    return _propose(turn, values=change.values, target=target)


def _copies(name: str, value: Any, *, page: Page) -> bool:
    """Whether the value of a text column is said by naming other columns."""
    column = page.column(name)
    return column is not None and column.type == "text" and isinstance(value, str) and names_columns(value, page=page)


def _which(turn: Turn, *, change: Change) -> Reply:
    """No rows were said and none are selected."""
    column = turn.page.column(next(iter(change.values)))
    value = next(iter(change.values.values()))
    words = f"{shown(column.name)} to {value_in_words(value)}" if column else "that"
    offers = (
        [f"Set {column.name} to {value_in_words(value)} for all rows"] if column and _sayable(column, value) else []
    )
    return say(
        f"For which rows shall I set {words}? Name a condition, select rows and say “these”, or say “for all rows”.",
        offers=[*offers, *offers_for(turn)],
    )


def _sayable(column: Column, value: Any) -> bool:
    return plain(column) and value is not None and (not isinstance(value, str) or len(value) < 40)


def _propose(turn: Turn, *, values: Json, target: Target) -> Reply:
    where = target.filter
    if target.is_all:
        where = all_but(values, page=turn.page)
    aim = Target(words=target.words, row_ids=target.row_ids, filter=where)
    sets = and_list([f"{shown(name)} to {value_in_words(value)}" for name, value in values.items()])
    return propose_data(
        f"This sets {sets} for the rows {target.words}. Each row that changes is shown before anything is saved.",
        reasoning=f"Set {sets} for the rows {target.words}",
        operations=aim.operations({"action": "update", "changes": values}),
    )


def all_but(values: Json, *, page: Page) -> Json:
    """A condition that holds for every row that is not yet as wanted: an empty condition is never accepted."""
    alternatives: list[Json] = []
    for name, value in values.items():
        column = page.column(name)
        kind = column.type if column else "text"
        if value is None:
            alternatives.append({"column": name, "op": "not_empty"})
        elif kind == "boolean":
            alternatives += [{"column": name, "op": "is", "value": not value}, {"column": name, "op": "empty"}]
        else:
            alternatives.append(
                {
                    "column": name,
                    "op": "none_of" if kind == "select" else "ne",
                    "value": [value] if kind == "select" else value,
                }
            )
    return {"and": [alternatives[0] if len(alternatives) == 1 else {"or": alternatives}]}
