"""Fill a column by words in another: "fill priority from the notes", "use the description to set the category"."""

from __future__ import annotations

import re
from typing import Any

from chat.demo.intents.offers import offers_for
from chat.demo.intents.reading import read_all
from chat.demo.language.words import key, shown, tokens
from chat.demo.meaning.assignments import named_column
from chat.demo.page import Column, Page
from chat.demo.reply import Reply, propose_data, say
from chat.demo.request import Turn

Json = dict[str, Any]
_FLAGS = re.IGNORECASE | re.DOTALL
_VERB = (
    r"(?:fill(?: in| out)?|set|complete|populate|derive|guess|work out|infer|classify|assign|update|adjust|change)"
)
_FORM = re.compile(
    rf"\b(?:{_VERB}|take)\s+"
    r"(?:the\s+)?(?P<column>.+?)\s+"
    r"(?:from|by|based on|according to|using|out of|after)\s+(?:the words in\s+|what(?:'s| is| stands)? "
    r"(?:written )?(?:in\s+)?|reading\s+)?(?:the\s+)?(?P<source>.+?)"
    r"(?:\s+(?:says?|column|field|contains?|mentions?))?$",
    _FLAGS,
)
_USE = re.compile(
    r"^(?:use|using|read(?: through)?|go by|go through|look at|based on|according to|from)\s+"
    r"(?:what(?:'s| is| stands)? (?:written )?(?:in\s+)?)?(?:the\s+)?(?P<source>.+?)(?:\s+(?:says?|column|field))?"
    r"(?:\s*,\s*(?:to\s+|and\s+)?|\s+(?:to|and)\s+)"
    rf"{_VERB}\s+(?:the\s+)?(?P<column>.+?)(?:\s+(?:accordingly|from (?:it|them)))?$",
    _FLAGS,
)
# Words that speak for an option although they are not it.
_SPEAKS: dict[str, tuple[str, ...]] = {
    "high": ("urgent", "asap", "important", "critical", "immediately", "top", "deadline", "priority", "must"),
    "medium": ("soon", "next week", "promising", "reply", "second look", "reminder"),
    "low": ("later", "someday", "eventually", "nice to have", "no rush", "whenever", "nothing", "minor"),
    "positive": ("love", "great", "excellent", "good", "thanks", "perfect", "well", "quick", "easy"),
    "negative": ("hate", "bad", "slow", "broken", "cannot", "crash", "terrible", "hard", "fail"),
    "bug": ("crash", "error", "broken", "fail", "wrong"),
    "feature request": ("please add", "would like", "wish", "could you", "is there"),
    "rejected": ("rejection", "declined", "turned down", "no thanks", "unfortunately"),
    "offer": ("offered", "contract"),
    "interview": ("interviewing", "call", "meeting"),
    "done": ("finished", "completed", "complete"),
}


def fill_column(turn: Turn) -> Reply | None:
    """A proposal for the rows whose words name an option; the others are left alone."""
    page = turn.page
    meant = _meant(turn.wish, page=page)
    if meant is None or not page.takes_data:
        return None
    column, source = meant
    if column.type != "select":
        return only_select_columns(turn, column=column)
    rows = read_all(turn, filter_={"and": [{"column": source.name, "op": "not_empty"}]})
    if isinstance(rows, Reply):
        return rows
    operations = updates_by_words(rows, column=column, sources=[source])
    if not operations:
        return say(
            f"No words in {shown(source.name)} point to one of the options of {shown(column.name)}.",
            offers=offers_for(turn),
        )
    left = len(rows) - len(operations)
    rest = f" {left} more say nothing that I can match, or hold the value already." if left else ""
    return propose_data(
        f"The words in {shown(source.name)} give {shown(column.name)} for {len(operations)} of {len(rows)} rows.{rest}",
        reasoning=f"Fill {shown(column.name)} by words in {shown(source.name)}",
        operations=operations,
    )


def _meant(wish: str, *, page: Page) -> tuple[Column, Column] | None:
    """The column to fill, and the one whose words tell with what."""
    for found in (_FORM.search(wish), _USE.match(wish)):
        column = named_column(found["column"], page=page) if found else None
        source = named_column(found["source"], page=page) if found else None
        if column is not None and source is not None and column is not source:
            return column, source
    return None


def only_select_columns(turn: Turn, *, column: Column) -> Reply:
    """The answer for a column of another type."""
    return say(
        f"I can fill select columns by words in another column; {shown(column.name)} is a {column.type} column.",
        offers=offers_for(turn),
    )


def updates_by_words(rows: list[Json], *, column: Column, sources: list[Column]) -> list[Json]:
    """Operations that set `column` in each row where a text of the `sources` names another of its options."""
    operations: list[Json] = []
    for row in rows:
        data = row.get("data") or {}
        hits = ((source, option_in(str(data.get(source.name, "")), column=column)) for source in sources)
        source, hit = next(((source, hit) for source, hit in hits if hit), (None, None))
        if source is None or hit is None or not isinstance(row.get("row_id"), int):
            continue
        option, word = hit
        if data.get(column.name) != option:
            reason = f"{source.name} mentions “{word}”"
            operations.append(
                {"action": "update", "row_id": row["row_id"], "changes": {column.name: option}, "reason": reason}
            )
    return operations


def option_in(text: str, *, column: Column) -> tuple[str, str] | None:
    """The option a text names, or the first whose words it uses, with the word. A cell is matched, never obeyed."""
    said = f" {' '.join(tokens(text))} "
    for option in column.options:
        if tokens(option) and f" {' '.join(tokens(option))} " in said:
            return option, option
    for option in column.options:
        for word in _SPEAKS.get(key(option), ()):
            if f" {' '.join(tokens(word))} " in said:
                return option, word
    return None
