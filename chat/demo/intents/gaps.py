"""Fill the empty cells of a column by what the texts of their rows say: the sentence that the column's menu offers."""

from __future__ import annotations

import re

from chat.demo.intents.fill import only_select_columns, updates_by_words
from chat.demo.intents.offers import offers_for
from chat.demo.intents.reading import read_all
from chat.demo.language.numbers import spoken
from chat.demo.language.words import shown, unquote
from chat.demo.meaning.assignments import named_column
from chat.demo.reply import Reply, propose_data, say
from chat.demo.request import Turn

_FLAGS = re.IGNORECASE | re.DOTALL
_VERB = r"^(?:fill(?: in| out)?|complete|populate)\s+(?:the\s+)?"
_FORMS = (
    re.compile(
        rf"{_VERB}(?:column\s+)?(?P<column>.{{1,255}}?)(?:\s+(?:of|in)\s+the\s+table\s+.{{1,255}}?)?"
        r"\s+(?:in\s+(?:the\s+|all\s+)?rows\s+)?where\s+it\s+is\s+empty(?:[.,:;].*)?$",
        _FLAGS,
    ),
    re.compile(
        rf"{_VERB}(?:empty\s+cells|gaps)\s+(?:of|in)\s+(?:the\s+)?(?:column\s+)?(?P<column>.{{1,255}}?)(?:[.,:;]\s.*)?$",
        _FLAGS,
    ),
)


def fill_gaps(turn: Turn) -> Reply | None:
    """A proposal for the rows where a select column is empty and a text names one of its options."""
    found = next((match for form in _FORMS if (match := form.match(turn.wish))), None)
    column = named_column(unquote(found["column"]), page=turn.page) if found else None
    if column is None or not turn.page.takes_data:
        return None
    if column.type != "select":
        return only_select_columns(turn, column=column)
    rows = read_all(turn, filter_={"and": [{"column": column.name, "op": "empty"}]})
    if isinstance(rows, Reply):
        return rows
    if not rows:
        return say(f"{shown(column.name)} is empty in no row.", offers=offers_for(turn))
    operations = updates_by_words(rows, column=column, sources=turn.page.of_type("text"))
    if not operations:
        return say(
            f"No words in the other columns point to one of the options of {shown(column.name)}.",
            offers=offers_for(turn),
        )
    return propose_data(
        f"Where {shown(column.name)} is empty, the words in other columns give a value for {len(operations)} of "
        f"{spoken(len(rows))} {'row' if len(rows) == 1 else 'rows'}.",
        reasoning=f"Fill {shown(column.name)} by words in other columns",
        operations=operations,
    )
