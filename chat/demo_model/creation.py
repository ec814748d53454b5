"""Proposals for new tables and new rows: described, made up or pasted."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

from chat.demo_model.column_guesses import (
    column_title,
    default_columns,
    is_new_name,
    new_column,
    parse_column,
    sample_rows,
)
from chat.demo_model.english import (
    collapse_spaces,
    display,
    match,
    normalize,
    parse_count,
    parse_number,
    parse_span,
    quantity,
    split_list,
    without_article,
)
from chat.demo_model.lexer import row_nouns
from chat.demo_model.parser import read_assignments, require_column
from chat.demo_model.reply import Reply, ToolNeeded, Unclear, propose_data, propose_schema, say
from chat.demo_model.request import Turn, read_column

Json = dict[str, Any]
MAX_PASTED_LINES = 500
MAX_PASTED_COLUMNS = 60
NEXT = "Suggest next steps"
_NEW_TABLE = (
    r"(?:(?:create|make|build|set up|start|new|i need|i want|propose|give me) )?(?:an? |the |my )?(?:new |simple )?"
    r"(?:table|list|tracker|database|log)(?: (?:for|of|to track|called|named|about)) (?P<table>.+)"
    r"|(?:track|keep track of|keep|log|collect|manage|organi[sz]e) (?P<subject>.+)"
)
_WITH_COLUMNS = r"(.+?)(?:,? (?:with|including)(?: the columns| columns)?:? |: )(.+)"
MAX_SAMPLE_ROWS = 200
_SAMPLE_ROWS = (
    r"(?:add|create|generate|make(?: up)?|give me|insert|propose|invent|fill (?:the|this) table with)"
    r"(?: (?P<count>\d+|an?|[a-z]+|a few))??(?: more)? (?:sample|example|made-up|random|dummy|test|demo)"
    r" (?P<noun>\w+)(?: to (?:the|this) table)?(?: (?:with|where|in which) (?P<values>.+))?"
)
_NEW_ROW = (
    r"(?:add|create|insert|new)(?: one| an?| the| new)* (?P<noun>\w+)(?:: ?| with | for | where |, )(?P<values>.+)"
)
_WITH_POINT = re.compile(r"-?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?")
_WITH_COMMA = re.compile(r"-?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?")


def create_table(turn: Turn) -> Reply | None:
    """Propose a table for a description."""
    found = match(_NEW_TABLE, turn.request)
    if found is None:
        return None
    text = found["table"] or found["subject"]
    split = match(_WITH_COLUMNS, text)
    subject = without_article(split[1] if split else text)
    if not is_new_name(subject) or (found["subject"] and turn.page.name != "tables_list"):
        return None
    if turn.page.name != "tables_list":
        raise Unclear("I can create tables on the Tables page. Please ask me there.")
    usual = default_columns(subject)
    known = {normalize(one["name"]): tuple(one.get("options", ())) for one in usual}
    parsed = [parse_column(item, known=known) for item in split_list(split[2])] if split else [*usual]
    columns = [one for one in parsed if one]
    if len({normalize(one["name"]) for one in columns}) < len(parsed):
        raise Unclear("I could not read that list of columns. Write it like “with title, author and status”.")
    name = column_title(subject)
    read = [read_column(one) for one in columns]
    rows = sample_rows(read, table=name, count=3, today=turn.page.today, seed=turn.seed)
    more = " Its rows are samples."
    return _propose_table(turn, name=name, columns=columns, rows=rows, more=more) if columns else None


def create_pasted(turn: Turn) -> Reply | None:
    """Propose a table for a pasted list, with its first rows."""
    pasted = read_pasted(turn.message, today=turn.page.today) if turn.page.name == "tables_list" else None
    if pasted is None or not re.fullmatch(r"|.*\b(?:table|list)\b.*", pasted.intro):
        return None
    pasted = with_numbers(pasted, names=[one["name"] for one in pasted.columns if one["type"] == "number"])
    rest = len(pasted.rows) - 5
    more = f" It includes the first 5 rows. Paste the other {rest} into the new table." if rest > 0 else ""
    return _propose_table(turn, name="Pasted list", columns=pasted.columns, rows=pasted.rows[:5], more=more)


def _propose_table(turn: Turn, *, name: str, columns: list[Json], rows: list[Json], more: str) -> Reply:
    text = f"I propose to create a table {display(name)} with {quantity(len(columns), 'column')}.{more}"
    fields = {"mode": "create", "table_name": name, "table_description": display(turn.message, limit=200), "next": NEXT}
    operations = [{"action": "add", "column": one} for one in columns]
    return propose_schema(text, operations, sample_rows=rows, **fields)


def add_rows(turn: Turn) -> Reply | None:
    """Propose made-up rows, or add one row with the given values."""
    page, request = turn.page, turn.request
    if not page.has_rows:
        return None
    nouns = {"row", "rows", "entry", "entries", "record", "records", "item", "items", *row_nouns(page)}
    if found := match(_SAMPLE_ROWS, request):
        return _propose_sample_rows(turn, found=found) if found["noun"].lower() in {*nouns, "data", "values"} else None
    if match(r"add \w+ (?:more )?rows", request):
        raise Unclear("For made-up rows, write “Add 5 sample rows”.")
    found = match(_NEW_ROW, request)
    if found is None or found["noun"].lower() not in nouns:
        return None
    values = read_assignments(found["values"], page=page)
    if not values:
        raise Unclear(f"Please name columns and values: “Add a row with {display(page.columns[0].name)} …”.")
    if result := turn.results.get("create_row"):
        return say(display(result["text"], limit=200) if result["is_error"] else "Row added. You can undo this.")
    if "create_row" in turn.tools and not turn.open_proposal:
        raise ToolNeeded("create_row", {"data": values})
    return propose_data("I propose to add this row.", [{"action": "add", "data": values}])


def _propose_sample_rows(turn: Turn, *, found: re.Match[str]) -> Reply | None:
    word = (found["count"] or "five").lower()
    count = 1 if word in ("a", "an") else parse_count(word)
    values = read_assignments(found["values"], page=turn.page) if found["values"] else {}
    if count is None or values is None:
        return None
    if not 0 < count <= MAX_SAMPLE_ROWS:
        raise Unclear(f"I can add 1 to {MAX_SAMPLE_ROWS} sample rows at a time.")
    page = turn.page
    known = [row["data"].get(page.columns[0].name) for row in page.samples] if page.columns else []
    rows = sample_rows(
        page.columns,
        table=page.table_name,
        count=count,
        today=page.today,
        seed=turn.seed,
        # All rows are known if the page shows them.
        existing=page.rows if page.rows > len(page.samples) else 0,
        known=known,
    )
    operations = [{"action": "add", "data": row | values} for row in rows]
    return propose_data(f"I propose to add {quantity(count, 'sample row')}.", operations)


def add_pasted(turn: Turn) -> Reply | None:
    """Propose pasted rows, by the names of the columns in their first line."""
    pasted = read_pasted(turn.message, today=turn.page.today) if turn.page.has_rows else None
    if pasted is None or not re.fullmatch(r"|.*\b(?:add|import|insert|paste|rows|these|table)\b.*", pasted.intro):
        return None
    targets = {one["name"]: require_column(one["name"], page=turn.page) for one in pasted.columns}
    pasted = with_numbers(pasted, names=[name for name, column in targets.items() if column.type == "number"])
    names = {name: column.name for name, column in targets.items()}
    operations = [{"action": "add", "data": {names[name]: cell for name, cell in row.items()}} for row in pasted.rows]
    return propose_data(f"I propose to add the {quantity(len(operations))} that you pasted.", operations)


class PastedList(NamedTuple):
    """Columns and rows of a pasted list, and the normalized sentence before it."""

    columns: list[Json]
    rows: list[Json]
    intro: str


def read_pasted(message: str, *, today: date) -> PastedList | None:
    """Return the pasted list in a message, or None if its lines differ in length."""
    lines = [line.strip() for line in message.split("\n") if not re.fullmatch(r"[|:\s-]*|```\w*", line.strip())]
    intro = ""
    if len(lines) > 2 and (lines[0].endswith(":") or not re.search(r"[\t,;|]", lines[0])):
        intro, lines = normalize(lines[0].rstrip(":")), lines[1:]
    for separator in ("\t", "|", ";", ","):
        grid = [[collapse_spaces(cell).strip('"') for cell in line.strip("|").split(separator)] for line in lines]
        widths = {len(line) for line in grid}
        if 1 < len(grid) <= MAX_PASTED_LINES and len(widths) == 1 and 1 < len(grid[0]) <= MAX_PASTED_COLUMNS:
            break
    else:
        return None
    headings, cells = grid[0], grid[1:]
    distinct = len({normalize(heading) for heading in headings}) == len(headings)
    if not distinct or any(not heading or parse_number(heading) is not None for heading in headings):
        return None
    columns = [
        _column(heading, [line[at] for line in cells if line[at]], today=today) for at, heading in enumerate(headings)
    ]
    rows = [{heading: cell for heading, cell in zip(headings, line, strict=True) if cell} for line in cells]
    return PastedList(columns=columns, rows=rows, intro=intro)


def with_numbers(pasted: PastedList, *, names: list[str]) -> PastedList:
    """Return the list with the cells of these columns as numbers with a decimal point. Raises Unclear."""
    columns = with_decimal_point([[row.get(name, "") for row in pasted.rows] for name in names])
    read = dict(zip(names, columns, strict=True))
    rows = [
        {name: read[name][at] if name in read else cell for name, cell in row.items()}
        for at, row in enumerate(pasted.rows)
    ]
    return pasted._replace(rows=rows)


def _column(heading: str, cells: list[str], *, today: date) -> Json:
    if are_numbers(cells):
        return new_column(heading, kind="number")
    if cells and all(re.fullmatch(r"\d{4}-\d\d-\d\d", cell) and parse_span(cell, today=today) for cell in cells):
        return new_column(heading, kind="date")
    if cells and {normalize(cell) for cell in cells} <= {"yes", "no", "true", "false"}:
        return new_column(heading, kind="boolean")
    values = tuple(dict.fromkeys(cells))
    distinct = len({normalize(value) for value in values}) == len(values)
    if new_column(heading)["type"] == "select" and distinct and len(values) <= 10:
        return new_column(heading, kind="select", options=values)
    return new_column(heading, kind="text")


def are_numbers(cells: Sequence[str]) -> bool:
    """Return whether all filled cells of a column are numbers, each with one of the decimal separators."""
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(_WITH_POINT.fullmatch(cell) or _WITH_COMMA.fullmatch(cell) for cell in filled)


def with_decimal_point(columns: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the cells of columns of numbers with a decimal point and without groups; other cells unchanged.

    Raises Unclear for numbers like 1.200 if no other number of the list decides between the separators.
    """
    separators = [_separator(column) for column in columns]
    known = set(separators) - {""}
    of_list = known.pop() if len(known) == 1 else ""
    found = [separator or of_list for separator in separators]
    pairs = zip(columns, found, strict=True)
    return [[_plain_number(cell, separator=separator) for cell in column] for column, separator in pairs]


def _separator(cells: Sequence[str]) -> str:
    """Return the decimal separator of the cells of a column, "" if it is unknown or mixed."""
    point = any(_WITH_POINT.fullmatch(cell) and not _WITH_COMMA.fullmatch(cell) for cell in cells)
    comma = any(_WITH_COMMA.fullmatch(cell) and not _WITH_POINT.fullmatch(cell) for cell in cells)
    return "" if point == comma else "." if point else ","


def _plain_number(cell: str, *, separator: str) -> str:
    with_point, with_comma = _WITH_POINT.fullmatch(cell), _WITH_COMMA.fullmatch(cell)
    if with_point and with_comma and not cell.removeprefix("-").isdigit() and not separator:
        both = f"{float(cell.replace(',', '.')):g} or {int(re.sub('[.,]', '', cell))}"
        raise Unclear(f"“{display(cell)}” can mean {both}. Paste the list again with numbers like {both}.")
    if with_comma and (separator == "," or not with_point):
        return cell.replace(".", "").replace(",", ".")
    return cell.replace(",", "") if with_point else cell
