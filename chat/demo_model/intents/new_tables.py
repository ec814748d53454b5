"""New tables, on the list of tables: from a description, or from a pasted list."""

import re
from datetime import date
from typing import Any, NamedTuple

from chat.demo_model import dates
from chat.demo_model.knowledge.kinds import column, described, is_name, named, usual_columns
from chat.demo_model.knowledge.samples import made_up_rows
from chat.demo_model.page import read_column
from chat.demo_model.pasted_numbers import are_numbers, with_decimal_point
from chat.demo_model.reply import Reply, Unclear, propose_schema
from chat.demo_model.request import Turn
from chat.demo_model.text import counted, key, match, number, shown, split_list, squeeze, without_article

Json = dict[str, Any]
MAX_ROWS = 500
NEXT = "Offer what to do next"
_WISH = (
    r"(?:(?:create|make|build|set up|start|new|i need|i want|propose|give me) )?(?:an? |the |my )?(?:new |simple )?"
    r"(?:table|list|tracker|database|log)(?: (?:for|of|to track|called|named|about)) (?P<table>.+)"
    r"|(?:track|keep track of|keep|log|collect|manage|organi[sz]e) (?P<subject>.+)"
)
_COLUMNS = r"(.+?)(?:,? (?:with|including)(?: the columns| columns)?:? |: )(.+)"


def create_table(turn: Turn) -> Reply | None:
    """Propose a table for a described need."""
    found = match(_WISH, turn.wish)
    if found is None:
        return None
    text = found["table"] or found["subject"]
    split = match(_COLUMNS, text)
    about = without_article(split[1] if split else text)
    if not is_name(about) or (found["subject"] and turn.page.name != "tables_list"):
        return None
    if turn.page.name != "tables_list":
        raise Unclear("New tables are made on the page that lists your tables: ask me there.")
    usual = usual_columns(about)
    known = {key(one["name"]): tuple(one.get("options", ())) for one in usual}
    made = [described(item, known=known) for item in split_list(split[2])] if split else [*usual]
    columns = [one for one in made if one]
    if len({key(one["name"]) for one in columns}) < len(made):
        raise Unclear("I could not read that list of columns. Write it like “with title, author and status”.")
    name = named(about)
    rows = made_up_rows(
        [read_column(one) for one in columns], table=name, many=3, today=turn.page.today, seed=turn.seed
    )
    return _proposed(turn, name=name, columns=columns, rows=rows, more=" Its rows are made up.") if columns else None


def create_pasted(turn: Turn) -> Reply | None:
    """Propose a table for a pasted list, with its first rows."""
    pasted = read_pasted(turn.words, today=turn.page.today) if turn.page.name == "tables_list" else None
    if pasted is None or not re.fullmatch(r"|.*\b(?:table|list)\b.*", pasted.intro):
        return None
    pasted = with_numbers(pasted, names=[one["name"] for one in pasted.columns if one["type"] == "number"])
    rest = len(pasted.rows) - 5
    more = f" It holds the first 5 rows: paste the other {rest} again beside the new table." if rest > 0 else ""
    return _proposed(turn, name="Pasted list", columns=pasted.columns, rows=pasted.rows[:5], more=more)


def _proposed(turn: Turn, *, name: str, columns: list[Json], rows: list[Json], more: str) -> Reply:
    text = f"I propose to create a table {shown(name)} with {counted(len(columns), 'column')}.{more}"
    fields = {"mode": "create", "table_name": name, "table_description": shown(turn.words, limit=200), "next": NEXT}
    operations = [{"action": "add", "column": one} for one in columns]
    return propose_schema(text, operations, sample_rows=rows, **fields)


class Pasted(NamedTuple):
    """Columns and rows of a pasted list, and the sentence before it, folded."""

    columns: list[Json]
    rows: list[Json]
    intro: str


def read_pasted(words: str, *, today: date) -> Pasted | None:
    """Return the pasted list in a message, or None where its lines are not alike."""
    lines = [line.strip() for line in words.split("\n") if not re.fullmatch(r"[|:\s-]*|```\w*", line.strip())]
    intro = ""
    if len(lines) > 2 and (lines[0].endswith(":") or not re.search(r"[\t,;|]", lines[0])):
        intro, lines = key(lines[0].rstrip(":")), lines[1:]
    for mark in ("\t", "|", ";", ","):
        grid = [[squeeze(cell).strip('"') for cell in line.strip("|").split(mark)] for line in lines]
        if 1 < len(grid) <= MAX_ROWS and 1 < len(grid[0]) <= 60 and {len(line) for line in grid} == {len(grid[0])}:
            break
    else:
        return None
    heads, cells = grid[0], grid[1:]
    if len({key(head) for head in heads}) < len(heads) or any(not head or number(head) is not None for head in heads):
        return None
    columns = [_column(head, [line[at] for line in cells if line[at]], today=today) for at, head in enumerate(heads)]
    rows = [{head: cell for head, cell in zip(heads, line, strict=True) if cell} for line in cells]
    return Pasted(columns=columns, rows=rows, intro=intro)


def with_numbers(pasted: Pasted, *, names: list[str]) -> Pasted:
    """Return the list with the cells of these columns as numbers with a decimal point. Raises Unclear."""
    columns = with_decimal_point([[row.get(name, "") for row in pasted.rows] for name in names])
    read = dict(zip(names, columns, strict=True))
    rows = [
        {name: read[name][at] if name in read else cell for name, cell in row.items()}
        for at, row in enumerate(pasted.rows)
    ]
    return pasted._replace(rows=rows)


def _column(head: str, cells: list[str], *, today: date) -> Json:
    if are_numbers(cells):
        return column(head, kind="number")
    if cells and all(re.fullmatch(r"\d{4}-\d\d-\d\d", cell) and dates.read(cell, today=today) for cell in cells):
        return column(head, kind="date")
    if cells and {key(cell) for cell in cells} <= {"yes", "no", "true", "false"}:
        return column(head, kind="boolean")
    values = tuple(dict.fromkeys(cells))
    selects = column(head)["type"] == "select" and len({key(value) for value in values}) == len(values) <= 10
    return column(head, kind="select", options=values) if selects else column(head, kind="text")
