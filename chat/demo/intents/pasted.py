"""Create a table, or add rows, from what was pasted: CSV, TSV, Markdown tables, bullet lists."""

from __future__ import annotations

import re
from typing import Any

from chat.demo.intents.create import creation, describe
from chat.demo.intents.described import name_of, read_need
from chat.demo.intents.offers import offers_for
from chat.demo.knowledge.domains import GENERIC, find_domain
from chat.demo.knowledge.kinds import Kind
from chat.demo.language.words import and_list, key, shown, squeeze, title
from chat.demo.meaning.assignments import named_column
from chat.demo.meaning.grids import Grid, read_grid
from chat.demo.meaning.kinds_of_values import cast, kind_of
from chat.demo.meaning.values import Misfit, value_for
from chat.demo.page import Column, Page
from chat.demo.reply import Reply, propose_data, propose_schema, say
from chat.demo.request import Turn

Json = dict[str, Any]
_SAMPLES = 5
_MOST_ROWS = 200
_FILLER = re.compile(
    r"\b(?:here(?:'s| is| are)?|this|these|following|below|from|pasted?|data|rows?|csv|tsv|turn|into|make"
    r"|create|build|a|an|the|my|table|list|of|new|add|import"
    r"|use|it|with|to|please|put|in|out|and|entries|using|them|for|me|is)\b|[:,.!-]",
    re.IGNORECASE,
)
_LISTS_COLUMNS = re.compile(
    r"\b(?:with|columns?|fields?|including|having|following|contain\w*)\s*(?:the following|are)?\s*[:-]?\s*$",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?:(?:here(?:'s| is| are)|this is|these are|take|use|import|from|with|please|can you)\s+)+", re.IGNORECASE
)


def take_pasted(turn: Turn) -> Reply | None:
    """On the list of tables a new table; on an open one rows for its columns."""
    grid = read_grid(turn.words)
    if grid is None:
        return None
    if turn.page.name == "tables_list":
        if _LISTS_COLUMNS.search(grid.intro):
            return None
        return _create(turn, grid=grid)
    if turn.page.takes_data:
        return _add(turn, grid=grid)
    return say(
        "Pasted rows are taken on the Tables page, for a new table, or in an open table.", offers=offers_for(turn)
    )


def _create(turn: Turn, *, grid: Grid) -> Reply:
    domain = find_domain(grid.intro) or find_domain(" ".join(grid.header)) or GENERIC
    width = len(grid.rows[0])
    leading = list(domain.columns[: domain.leading])
    names = grid.header or (leading if domain is not GENERIC and width <= len(leading) else _unnamed(width))[:width]
    kinds: list[Kind] = []
    for at, name in enumerate(_distinct(names)):
        values = [row[at] for row in grid.rows if at < len(row)]
        kind = kind_of(title(name) if name.islower() else name, values=values)
        required = at == 0 and all(values) and len(values) == len(grid.rows)
        kinds.append(Kind(name=kind.name, type=kind.type, options=kind.options, required=required))
    rows = [_cells(row, kinds=kinds) for row in grid.rows[:_SAMPLES]]
    name = _table_name(grid) or (domain.name if domain is not GENERIC else "Pasted List")
    listed = and_list([f"{shown(kind.name)} ({kind.type})" for kind in kinds])
    more = len(grid.rows) - len(rows)
    rest = (
        f" A new table starts with at most {_SAMPLES} rows: the other {more} can be added after creating it, "
        f"by pasting the list again there."
        if more > 0
        else ""
    )
    return propose_schema(
        f"I read {len(grid.rows)} {'row' if len(grid.rows) == 1 else 'rows'} and made columns of them: {listed}.{rest}",
        creation(
            name=name,
            description=describe(name, kinds=kinds),
            kinds=kinds,
            rows=rows,
            why=grid.intro or "a pasted list",
        ),
    )


def _unnamed(count: int) -> list[str]:
    return ["Name", *[f"Column {number}" for number in range(2, count + 1)]]


def _distinct(names: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    result = []
    for at, name in enumerate(names):
        text = squeeze(name)[:255] or f"Column {at + 1}"
        seen[key(text)] = seen.get(key(text), 0) + 1
        result.append(text if seen[key(text)] == 1 else f"{text} {seen[key(text)]}")
    return result


def _cells(row: list[str], *, kinds: list[Kind]) -> Json:
    made = {kind.name: cast(text, kind=kind.type) for kind, text in zip(kinds, row, strict=False)}
    return {name: value for name, value in made.items() if value is not None}


def _table_name(grid: Grid) -> str:
    intro = _OPENING.sub("", grid.intro[:300].strip(" :."))
    need = read_need(intro, free=True) if intro else None
    if need is None:
        return ""
    if need.name:
        return need.name[:255]
    return "" if not _FILLER.sub("", need.topic).strip() else name_of(need.topic)


def _add(turn: Turn, *, grid: Grid) -> Reply:
    page = turn.page
    columns = _columns(grid, page=page)
    if not any(columns):
        return say(
            "I could not match the pasted columns with those of this table. Put the column names in the first line.",
            offers=offers_for(turn),
        )
    missing = [shown(column.name) for column in page.columns if column.required and column not in columns]
    if missing:
        return say(
            f"Each row needs {and_list(missing)}, which I did not find in what you pasted.", offers=offers_for(turn)
        )
    if len(grid.rows) > _MOST_ROWS:
        return say(f"That is {len(grid.rows):,} rows; I take up to {_MOST_ROWS} at a time.", offers=offers_for(turn))
    operations, misfits = [], []
    for row in grid.rows:
        data: Json = {}
        for column, text in zip(columns, row, strict=False):
            if column is None or not text:
                continue
            value = value_for(text, column=column, today=page.today)
            # A value that does not fit is handed on as it was pasted: the table shows it as a fault that can be mended.
            data[column.name] = text if isinstance(value, Misfit) else value
            misfits += [value.why] if isinstance(value, Misfit) else []
        operations.append({"action": "add", "data": {name: value for name, value in data.items() if value is not None}})
    left = [shown(name) for name, column in zip(grid.header, columns, strict=False) if column is None]
    notes = (f" There is no column for {and_list(left)}, so I left it out." if left else "") + (
        f" Look at this: {misfits[0]}" if misfits else ""
    )
    many = f"{len(operations)} {'row' if len(operations) == 1 else 'rows'}"
    return propose_data(
        f"I read {many} from what you pasted.{notes}", reasoning=f"Add {many} that were pasted", operations=operations
    )


def _columns(grid: Grid, *, page: Page) -> list[Column | None]:
    """Which column each pasted one is: by its heading, else in the table's order."""
    if grid.header:
        return [named_column(name, page=page) for name in grid.header]
    width = max(len(row) for row in grid.rows)
    return list(page.columns[:width])
