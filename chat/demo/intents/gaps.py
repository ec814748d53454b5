"""Fill the empty cells of a column by what the texts of their rows say: the sentence that the column's menu offers."""

from __future__ import annotations

import re
from typing import Any

from chat.demo.intents.fill import option_in
from chat.demo.intents.offers import offers_for
from chat.demo.intents.reading import read_all
from chat.demo.language.numbers import spoken
from chat.demo.language.words import shown, unquote
from chat.demo.meaning.assignments import named_column
from chat.demo.page import Column
from chat.demo.reply import Reply, propose_data, say
from chat.demo.request import Turn

Json = dict[str, Any]
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
        return say(
            f"I can fill select columns by words in another column; {shown(column.name)} is a {column.type} column.",
            offers=offers_for(turn),
        )
    rows = read_all(turn, filter_={"and": [{"column": column.name, "op": "empty"}]})
    if isinstance(rows, Reply):
        return rows
    if not rows:
        return say(f"{shown(column.name)} is empty in no row.", offers=offers_for(turn))
    operations = _operations(rows, column=column, sources=turn.page.of_type("text"))
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


def _operations(rows: list[Json], *, column: Column, sources: list[Column]) -> list[Json]:
    operations: list[Json] = []
    for row in rows:
        data = row.get("data") or {}
        hits = ((source, option_in(str(data.get(source.name, "")), column=column)) for source in sources)
        said = next(((source, hit) for source, hit in hits if hit), None)
        if said is None or not isinstance(row.get("row_id"), int):
            continue
        source, (option, word) = said
        reason = f"{source.name} mentions “{word}”"
        operations.append(
            {"action": "update", "row_id": row["row_id"], "changes": {column.name: option}, "reason": reason}
        )
    return operations
