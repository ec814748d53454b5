"""Proposals that add rows: made-up ones, one with the values that were said, pasted ones."""

import re
from typing import Any

from chat.demo_model.intents.new_tables import read_pasted, with_numbers
from chat.demo_model.knowledge.samples import made_up_rows
from chat.demo_model.lexer import nouns_of
from chat.demo_model.reading import existing, read_assignments
from chat.demo_model.reply import Reply, ToolNeeded, Unclear, propose_data, say
from chat.demo_model.request import Turn
from chat.demo_model.text import count, counted, match, shown

Json = dict[str, Any]
MAX_SAMPLES = 200
_SAMPLES = (
    r"(?:add|create|generate|make(?: up)?|give me|insert|propose|invent|fill (?:the|this) table with)"
    r"(?: (?P<many>\d+|an?|[a-z]+|a few))??(?: more)? (?:sample|example|made-up|random|dummy|test|demo)"
    r" (?P<noun>\w+)(?: to (?:the|this) table)?(?: (?:with|where|in which) (?P<values>.+))?"
)
_ROW = r"(?:add|create|insert|new)(?: one| an?| the| new)* (?P<noun>\w+)(?:: ?| with | for | where |, )(?P<values>.+)"


def add_rows(turn: Turn) -> Reply | None:
    """Propose made-up rows, or add one row with the values that were said."""
    page, wish = turn.page, turn.wish
    if not page.has_rows:
        return None
    nouns = {"row", "rows", "entry", "entries", "record", "records", "item", "items", *nouns_of(page)}
    if found := match(_SAMPLES, wish):
        return _samples(turn, found=found) if found["noun"].lower() in {*nouns, "data", "values"} else None
    if match(r"add \w+ (?:more )?rows", wish):
        raise Unclear("Shall I make them up? Then say “Add 5 sample rows”.")
    found = match(_ROW, wish)
    if found is None or found["noun"].lower() not in nouns:
        return None
    values = read_assignments(found["values"], page=page)
    if not values:
        raise Unclear(f"Say which column has which value: “Add a row with {shown(page.columns[0].name)} …”.")
    if result := turn.results.get("create_row"):
        return say(shown(result["text"], limit=200) if result["is_error"] else "The row is there. You can undo it.")
    if "create_row" in turn.tools and not turn.opened:
        raise ToolNeeded("create_row", {"data": values})
    return propose_data("I propose to add this row.", [{"action": "add", "data": values}])


def _samples(turn: Turn, *, found: re.Match[str]) -> Reply | None:
    said = (found["many"] or "five").lower()
    many = 1 if said in ("a", "an") else count(said)
    values = read_assignments(found["values"], page=turn.page) if found["values"] else {}
    if many is None or values is None:
        return None
    if not 0 < many <= MAX_SAMPLES:
        raise Unclear(f"I make up 1 to {MAX_SAMPLES} rows at a time.")
    page = turn.page
    rows = made_up_rows(page.columns, table=page.table_name, many=many, today=page.today, seed=turn.seed)
    operations = [{"action": "add", "data": row | values} for row in rows]
    return propose_data(f"I propose to add {counted(many, 'made-up row')}.", operations)


def add_pasted(turn: Turn) -> Reply | None:
    """Propose pasted rows, by the names of the columns in their first line."""
    pasted = read_pasted(turn.words, today=turn.page.today) if turn.page.has_rows else None
    if pasted is None or not re.fullmatch(r"|.*\b(?:add|import|insert|paste|rows|these|table)\b.*", pasted.intro):
        return None
    targets = {one["name"]: existing(one["name"], page=turn.page) for one in pasted.columns}
    pasted = with_numbers(pasted, names=[name for name, column in targets.items() if column.type == "number"])
    names = {name: column.name for name, column in targets.items()}
    operations = [{"action": "add", "data": {names[name]: cell for name, cell in row.items()}} for row in pasted.rows]
    return propose_data(f"I propose to add the {counted(len(operations))} that you pasted.", operations)
