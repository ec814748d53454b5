"""Writes rows as comma-separated values (RFC 4180): UTF-8 with a mark, so that spreadsheets know it; CRLF."""
from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import IO, Any

from tables.column_types import ColumnSpec, get_column_type
from tables.column_types.column_type import ColumnType
from tables.operations.formula_escaping import escape_formula
from tables.selectors import Listed

Written = Callable[[Any], str]
# Whatever a reader may take for the end of a cell: spreadsheets of half the world divide at semicolons.
DIVIDING = re.compile(r'[,;|\t"\r\n]')
# Values that are kept as the text they are.
TEXTS = ("folded", "exact", "option")


def write_csv(file: IO[bytes], *, title: str, columns: Sequence[ColumnSpec], rows: Iterable[Listed]) -> None:
    """A line of names, a line for each row: plain digits, YYYY-MM-DD, true and false, nothing for empty cells.

    Names and texts are escaped (`tables.operations.formula_escaping`), so that spreadsheets compute nothing. They are
    quoted wherever any reader, of whatever delimiter, would divide them.
    """
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    try:
        text.write(_line([quoted(escape_formula(column.name)) for column in columns]))
        for cells in _lines(rows, ways=[_way_of(column) for column in columns]):
            text.write(_line(cells))
    finally:
        text.flush()
        text.detach()


def plain_number(value: int | float) -> str:
    """The shortest digits of a number without a power of ten: what every door reads back as the same number.

    Beyond 2^53 whole numbers end in `.0`: they are doubles, as which they would not be told from their neighbours.
    """
    if isinstance(value, int):
        return str(value)
    text = repr(value)
    if "e" in text:
        text = format(Decimal(text), "f")
    return text if "." in text else f"{text}.0"


def _lines(rows: Iterable[Listed], *, ways: Sequence[Written]) -> Iterator[list[str]]:
    for _, cells in rows:
        yield ["" if cell is None else way(cell) for cell, way in zip(cells, ways, strict=True)]


def _way_of(column: ColumnSpec) -> Written:
    """How a filled cell of the column is written."""
    kind = get_column_type(column.type)
    if kind.comparison == "number":
        # A minus is part of a number, which no spreadsheet reads as anything else.
        return plain_number
    if kind.comparison in TEXTS and type(kind)._text is ColumnType._text:
        return lambda value: quoted(escape_formula(value))
    return lambda value: quoted(escape_formula(kind.text(value)))


def quoted(text: str) -> str:
    """The text as one cell."""
    if not DIVIDING.search(text):
        return text
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def _line(cells: Sequence[str]) -> str:
    # An empty line would be no row.
    return ",".join(cells) + "\r\n" if cells != [""] else '""\r\n'

