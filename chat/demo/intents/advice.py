"""Which text columns could be select columns: counted from the rows, offered as a change of type."""

from __future__ import annotations

import re

from chat.demo.intents.offers import offers_for, plain
from chat.demo.intents.reading import read_all
from chat.demo.language.words import key, shown
from chat.demo.reply import Reply, say
from chat.demo.request import Turn

_ASKS = re.compile(
    r"\b(?:which|what)\b.*\bcolumns?\b.*\b(?:select|dropdowns?|options?)\b|\bcould (?:any|some)\b.*\bbe (?:a )?"
    r"(?:select|dropdown)",
    re.IGNORECASE,
)
_COLUMNS = re.compile(
    r"^(?:(?:what|which|list|show|explain|describe)\b.*\b(?:columns?|fields?)\b.*|how many (?:columns|fields)\b.*)$",
    re.IGNORECASE,
)
_MOST_VALUES = 10


def advise(turn: Turn) -> Reply | None:
    """Text columns with few values that repeat; or simply which columns there are."""
    page = turn.page
    if not page.has_table:
        return None
    if _ASKS.search(turn.wish):
        return _selects(turn)
    if not _COLUMNS.match(turn.wish.rstrip("? ")):
        return None
    lines = [
        f"- {shown(column.name)}: {column.type}{', required' if column.required else ''}" for column in page.columns
    ]
    return say(
        f"{shown(page.table_name) or 'This table'} has {len(lines)} columns:\n\n" + "\n".join(lines),
        offers=offers_for(turn),
    )


def _selects(turn: Turn) -> Reply:
    rows = read_all(turn, filter_=None)
    if isinstance(rows, Reply):
        return rows
    found = []
    for column in turn.page.of_type("text"):
        cells = [
            key(str(row["data"][column.name]))
            for row in rows
            if (row.get("data") or {}).get(column.name) not in (None, "")
        ]
        if cells and len(set(cells)) <= _MOST_VALUES and len(set(cells)) * 2 <= len(cells):
            found.append((column, len(set(cells))))
    if not found:
        return say(
            "No text column has few enough values that repeat, so I would leave them as they are.",
            offers=offers_for(turn),
        )
    lines = [
        f"- {shown(column.name)}: {values} {'value' if values == 1 else 'different values'}" for column, values in found
    ]
    offers = [f"Change {column.name} to a select" for column, _ in found if plain(column)]
    return say(
        "These text columns repeat a few values, so they could be select columns:\n\n" + "\n".join(lines),
        offers=[*offers, *offers_for(turn)],
    )
