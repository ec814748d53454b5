"""Reads pasted lines as a grid: CSV, TSV, semicolons, Markdown tables, bullet lists, with or without a heading."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from datetime import date

from chat.demo.knowledge.kinds import is_identifier, options_for
from chat.demo.language.dates import span
from chat.demo.language.numbers import number
from chat.demo.language.words import key, squeeze

_BULLET = re.compile(r"^\s*(?:[-*•–·]|\d{1,3}[.)])\s+(?P<text>.+)$")
_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_MOST_COLUMNS = 60


@dataclass(frozen=True)
class Grid:
    """What was pasted; `header` is empty where there is none, `intro` is what stood before it."""

    intro: str
    header: list[str]
    rows: list[list[str]]


def read_grid(words: str) -> Grid | None:
    """The grid in a message, or None if there is none."""
    lines = [line.rstrip() for line in words.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    while lines and lines[0].strip().startswith("```"):
        lines.pop(0)
    lines = [line for line in lines if line.strip() and not line.strip().startswith("```")]
    if len(lines) < 2:
        return None
    return _bullets(lines) or _table(lines)


def _bullets(lines: list[str]) -> Grid | None:
    found = [_BULLET.match(line) for line in lines]
    first = next((at for at, hit in enumerate(found) if hit), None)
    if first is None or sum(hit is not None for hit in found) < 2 or not all(found[first:]):
        return None
    items = [squeeze(hit["text"]) for hit in found[first:] if hit]
    intro = " ".join(lines[:first])
    for separator in (" | ", "\t", " – ", " - ", ": ", ", ", " / "):
        cells = [[cell.strip() for cell in item.split(separator)] for item in items]
        if len(cells[0]) > 1 and len({len(row) for row in cells}) == 1:
            return Grid(intro=intro, header=[], rows=cells)
    return Grid(intro=intro, header=[], rows=[[item] for item in items])


def _table(lines: list[str]) -> Grid | None:
    for delimiter in ("|", "\t", ";", ","):
        best = _delimited(lines, delimiter=delimiter)
        if best is not None:
            return best
    return None


def _delimited(lines: list[str], *, delimiter: str) -> Grid | None:
    """The longest run of lines at the end that have as many cells as each other."""
    body = [line for line in lines if not (delimiter == "|" and _RULE.match(line))]
    rows = [_cells(line, delimiter=delimiter) for line in body]
    width = len(rows[-1])
    if not 2 <= width <= _MOST_COLUMNS:
        return None
    start = len(rows)
    while start and len(rows[start - 1]) == width:
        start -= 1
    grid, intro = rows[start:], " ".join(body[:start])
    if len(grid) < 2 or len(body[:start]) > 3 or (delimiter == "," and any(_is_prose(line) for line in body[start:])):
        return None
    header = _header(grid)
    typed = any(_is_value(cell) for row in grid for cell in row)
    if delimiter == "," and not (header or typed or len(grid) > 2):
        # Two lines with a comma each may as well be two sentences.
        return None
    return Grid(intro=squeeze(intro), header=header, rows=grid[1:] if header else grid)


def _cells(line: str, *, delimiter: str) -> list[str]:
    text = line.strip()
    if delimiter == "|":
        return [cell.strip() for cell in text.strip("|").split("|")] if "|" in text else [text]
    if len(text) > 100_000:
        return [text]
    try:
        return [
            cell.strip() for cell in next(csv.reader(io.StringIO(line), delimiter=delimiter, skipinitialspace=True))
        ]
    except (csv.Error, StopIteration):
        return [text]


def _is_prose(line: str) -> bool:
    """A sentence with a comma is no row."""
    return len(line.split()) > 6 and line.rstrip().endswith((".", "!", "?"))


def _header(grid: list[list[str]]) -> list[str]:
    """The first line, if it reads as names: texts, distinct, of another kind than what follows or known names."""
    first, rest = grid[0], grid[1:]
    if not all(first) or len({key(cell) for cell in first}) != len(first):
        return []
    if any(_is_value(cell) for cell in first):
        return []
    typed = any(_is_value(cell) for row in rest for cell in row)
    known = sum(is_identifier(cell) or bool(options_for(key(cell))) or bool(_KNOWN.search(key(cell))) for cell in first)
    return first if typed or known * 2 >= len(first) else []


_KNOWN = re.compile(
    r"\b(?:name|date|status|email|phone|price|amount|notes?|city|country|title|type|category|id|url|due"
    r"|deadline|quantity|owner|rating|location)\b"
)


def _is_value(text: str) -> bool:
    return (
        number(text) is not None
        or re.match(r"^\d{4}-\d\d-\d\d$", text) is not None
        or "@" in text
        or (any(letter.isdigit() for letter in text) and span(text, today=_ANY_DAY) is not None)
    )


_ANY_DAY = date(2026, 1, 1)
