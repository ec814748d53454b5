"""Delete duplicates: rows that are equal in every cell, or in one column; the first of each stays."""

from __future__ import annotations

import re
from typing import Any

from chat.demo.intents.offers import offers_for
from chat.demo.intents.reading import read_all
from chat.demo.language.words import key, shown
from chat.demo.meaning.assignments import named_column
from chat.demo.page import Column, Page
from chat.demo.reply import Reply, propose_data, say
from chat.demo.request import Turn

Json = dict[str, Any]
_FLAGS = re.IGNORECASE
_ASKS = re.compile(
    r"\b(?:duplicates?|duplicated?|doubles|doubled|de-?dup\w*|repeated|identical|same twice)"
    r"(?: (?:rows|entries|records|items|ones))?(?: (?:(?:in|from) )?(?:the|this|my) (?:table|list|rows|data))?\b"
    r"(?:.*?\b(?:by|in|on|with the same|based on|of)\s+(?:the\s+)?(?P<column>.+))?$",
    _FLAGS,
)
_DELETES = re.compile(
    r"^(?:delete|remove|drop|get rid of|clean|clear|merge|de-?dup\w*|eliminate|throw|purge|erase)\b", _FLAGS
)
# Cells are shown to the model up to this length; what two longer ones go on with is not known.
_CUT = 200


def find_duplicates(turn: Turn) -> Reply | None:
    """Counted, or proposed for deletion with the reason for each."""
    page = turn.page
    found = _ASKS.search(turn.wish.rstrip("? "))
    if found is None or not page.has_table:
        return None
    said = (found["column"] or "").strip()
    column = named_column(said, page=page) if said else None
    if said and column is None and not re.match(r"^(?:this|the|my)?\s*(?:table|list|rows?|here|data)\b", said, _FLAGS):
        return say(f"I see no column {shown(said)} here.", offers=offers_for(turn))
    rows = read_all(turn, filter_=None)
    if isinstance(rows, Reply):
        return rows
    doubles = _doubles(rows, column=column, page=page)
    same = f"the same {shown(column.name)}" if column else "the same values in every cell"
    if not doubles:
        return say(f"I found no duplicates: no two rows have {same}.", offers=offers_for(turn))
    many = f"{len(doubles)} {'row' if len(doubles) == 1 else 'rows'}"
    if not _DELETES.match(turn.wish) or not page.takes_data:
        return say(
            f"{many} repeat an earlier row: they have {same}.", offers=["Delete the duplicates", *offers_for(turn)]
        )
    return propose_data(
        f"I found {many} with {same} as an earlier row. The first of each stays.",
        reasoning="Delete duplicates; the first of each stays",
        operations=[{"action": "delete", "row_id": at, "reason": f"Same as row {first}"} for at, first in doubles],
    )


def _doubles(rows: list[Json], *, column: Column | None, page: Page) -> list[tuple[int, int]]:
    """Row ids that repeat an earlier one, with that one's id. Empty cells are equal to nothing but each other."""
    seen: dict[tuple[str, ...], int] = {}
    doubles = []
    columns = [column] if column else list(page.columns)
    for row in rows:
        data = row.get("data") or {}
        cells = tuple(key(str(data.get(each.name, ""))) for each in columns)
        cut = any(isinstance(cell, str) and len(cell) >= _CUT and cell.endswith("…") for cell in data.values())
        if cut or not any(cells) or not isinstance(row.get("row_id"), int):
            continue
        if cells in seen:
            doubles.append((row["row_id"], seen[cells]))
        else:
            seen[cells] = row["row_id"]
    return doubles
