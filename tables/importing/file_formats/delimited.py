"""Rows of delimited text (CSV, TSV). Strict, so that an unclosed quote does not silently swallow rows."""
from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from shared.user_messages import declare
from tables.importing.file_formats.encodings import MAX_LINE_LENGTH
from tables.importing.file_formats.source import DELIMITERS, RawRow, Unreadable
from tables.operations.formula_escaping import unescape_formula

IN_LINE = declare("in_line", "Line {number:,}")
IN_LINES = declare("in_lines", "The row in lines {first:,} to {last:,}")
ROW_TOO_LONG = declare(
    "row_too_long",
    "The row that starts in line {number:,} has more than {count:,} characters. Check for an unclosed quotation mark.",
)
CELL_TOO_LONG = declare(
    "cell_too_long", "{where} has a cell of more than {count:,} characters. Check for an unclosed quotation mark."
)
UNCLOSED_QUOTE = declare(
    "unclosed_quote", "The row that starts in line {number:,} has an unclosed quotation mark."
)
STRAY_QUOTE = declare(
    "stray_quote", "{where} has a misplaced quotation mark. Inside quotes, double it."
)

SAMPLE_LINES = 200
# Characters that any reader may take for the end of a cell: in many locales, spreadsheets split at semicolons.
NEEDS_QUOTES = re.compile(r'[,;|\t"\r\n]')
MAX_CELL_LENGTH = csv.field_size_limit()


def delimited_rows(lines: Iterable[str], *, delimiter: str) -> Iterator[RawRow]:
    """Yield each row with the number of its first line; empty lines are skipped. Raises Unreadable."""
    # A quote inside an unquoted cell is part of the text.
    line_reader = _LineReader(lines)
    reader = csv.reader(line_reader, delimiter=delimiter, strict=True)
    before = 0
    while True:
        try:
            row = next(reader, None)
        except csv.Error as fault:
            raise _unreadable(fault, first=before + 1, last=reader.line_num) from None
        if row is None:
            return
        if row:
            if line_reader.has_apostrophe:
                row = [unescape_formula(cell) if cell[:1] == "'" else cell for cell in row]
            yield before + 1, row
        before = reader.line_num
        line_reader.start_row(before + 1)


class _LineReader:
    """Iterator over lines for the CSV reader that limits the length of a quoted row of several lines.

    `has_apostrophe`: one is in the row, so that its cells may be escaped formulas.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self.has_apostrophe = False
        self._first, self._length = 1, 0

    def __iter__(self) -> _LineReader:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._length += len(line)
        if self._length > MAX_LINE_LENGTH:
            raise Unreadable(ROW_TOO_LONG(number=self._first, count=MAX_LINE_LENGTH), code="row_too_long")
        if "'" in line:
            self.has_apostrophe = True
        return line

    def start_row(self, first: int) -> None:
        """Start the next row in this line."""
        self._first, self._length, self.has_apostrophe = first, 0, False


def quoted_names(lines: Sequence[str], *, delimiter: str, has_mark: bool = False) -> frozenset[int]:
    """Return the indexes of cells of the first line that are texts by their quotes, also if they look like numbers.

    In such a line, a cell is quoted that need not be, and not so in the second line. Exports quote all names if one of
    them looks like a value. If all these quotes are needed, the byte order mark (`has_mark`) tells them from values.
    """
    (first, needless, count), (_, below, _) = (_quotes(line, delimiter=delimiter) for line in (*lines[:2], "", "")[:2])
    is_export = has_mark and len(first) == count and not below
    return first - below if needless - below or is_export else frozenset()


def _quotes(line: str, *, delimiter: str) -> tuple[frozenset[int], frozenset[int], int]:
    """Return the indexes of the quoted cells of a line, those that need no quotes, and the number of cells."""
    mark = re.escape(delimiter)
    cells = [cell[1] for cell in re.finditer(rf'(?:^|{mark})("(?:[^"]|"")*"(?={mark}|[\r\n]|$))?', line)]
    quoted = {index: cell for index, cell in enumerate(cells) if cell is not None}
    # A row with a single empty cell would be an empty line without quotes.
    needless = {index for index, cell in quoted.items() if not NEEDS_QUOTES.search(cell[1:-1]) and cells != ['""']}
    return frozenset(quoted), frozenset(needless), len(cells)


def guess_delimiter(lines: Sequence[str]) -> str:
    """Return the delimiter with the most uniform rows of several cells in the first lines; a comma if there is none."""
    scores = {delimiter: _uniformity(lines, delimiter=delimiter) for delimiter in DELIMITERS}
    best = max(scores, key=lambda delimiter: scores[delimiter])
    return best if scores[best] > 0 else ","


def _uniformity(lines: Sequence[str], *, delimiter: str) -> float:
    """Return the share of rows with the most common width, slightly more for wide ones; 0 for single cells."""
    widths: Counter[int] = Counter()
    try:
        for _, row in delimited_rows(lines[:SAMPLE_LINES], delimiter=delimiter):
            widths[len(row)] += 1
    except Unreadable as fault:
        # The last line may be incomplete.
        if fault.code != "unclosed_quote":
            return 0
    if not widths:
        return 0
    width, count = max(widths.items(), key=lambda entry: (entry[1], entry[0]))
    return count / widths.total() + min(width, 50) / 1_000 if width > 1 else 0


def _unreadable(fault: csv.Error, *, first: int, last: int) -> Unreadable:
    error = str(fault)
    where = IN_LINE(number=first) if last <= first else IN_LINES(first=first, last=last)
    if "field larger" in error:
        return Unreadable(CELL_TOO_LONG(where=where, count=MAX_CELL_LENGTH), code="cell_too_long")
    if "unexpected end" in error:
        return Unreadable(UNCLOSED_QUOTE(number=first), code="unclosed_quote")
    return Unreadable(STRAY_QUOTE(where=where), code="stray_quote")
