"""Rows of text with delimiters (CSV, TSV): strictly, so that a quote that is not closed swallows nothing in silence."""
from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tables.importing.encodings import MOST_LINE
from tables.importing.source import DELIMITERS, RawRow, Unreadable
from tables.operations.formula_escaping import unescape_formula
from user_messages import declare

IN_LINE = declare("in_line", "Line {number:,}")
IN_LINES = declare("in_lines", "The row of lines {first:,} to {last:,}")
ROW_TOO_LONG = declare(
    "row_too_long",
    "The row that begins in line {number:,} has more than {count:,} characters. Is a quotation mark not closed?",
)
CELL_TOO_LONG = declare(
    "cell_too_long", "{where} has a cell of more than {count:,} characters. Is a quotation mark not closed?"
)
UNCLOSED_QUOTE = declare(
    "unclosed_quote", "A quotation mark of the row that begins in line {number:,} is never closed."
)
STRAY_QUOTE = declare(
    "stray_quote", "{where} has a quotation mark in the wrong place: inside quotes it is written twice."
)

LOOKED_AT = 200
MOST_CELL = csv.field_size_limit()


def delimited_rows(lines: Iterable[str], *, delimiter: str) -> Iterator[RawRow]:
    """Each row with the number of its first line; lines without anything are left out. Raises Unreadable."""
    # What is not quoted needs no quoting: a " in the middle of such a cell stands for itself.
    read = _Lines(lines)
    reader = csv.reader(read, delimiter=delimiter, strict=True)
    before = 0
    while True:
        try:
            row = next(reader, None)
        except csv.Error as fault:
            raise _unreadable(fault, first=before + 1, last=reader.line_num) from None
        if row is None:
            return
        if row:
            yield before + 1, [unescape_formula(cell) if cell[:1] == "'" else cell for cell in row]
        before = reader.line_num
        read.next_row(before + 1)


class _Lines:
    """Lines on their way to the reader, which keeps a row that goes on in quotes until it ends, however long it is."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._first, self._length = 1, 0

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._length += len(line)
        if self._length > MOST_LINE:
            raise Unreadable(ROW_TOO_LONG(number=self._first, count=MOST_LINE), code="row_too_long")
        return line

    def next_row(self, first: int) -> None:
        """A row has ended; the next begins in this line."""
        self._first, self._length = first, 0


def guess_delimiter(lines: Sequence[str]) -> str:
    """The delimiter that makes the most even rows of several cells out of the first lines; a comma when none does."""
    scores = {delimiter: _evenness(lines, delimiter=delimiter) for delimiter in DELIMITERS}
    best = max(scores, key=lambda delimiter: scores[delimiter])
    return best if scores[best] > 0 else ","


def _evenness(lines: Sequence[str], *, delimiter: str) -> float:
    """How many of the rows have the width that most have, a little more for wide ones; 0 without several cells."""
    widths: Counter[int] = Counter()
    try:
        for _, row in delimited_rows(lines[:LOOKED_AT], delimiter=delimiter):
            widths[len(row)] += 1
    except Unreadable as fault:
        # The last line may be the first half of a longer one.
        if fault.code != "unclosed_quote":
            return 0
    if not widths:
        return 0
    width, count = max(widths.items(), key=lambda entry: (entry[1], entry[0]))
    return count / widths.total() + min(width, 50) / 1_000 if width > 1 else 0


def _unreadable(fault: csv.Error, *, first: int, last: int) -> Unreadable:
    words = str(fault)
    where = IN_LINE(number=first) if last <= first else IN_LINES(first=first, last=last)
    if "field larger" in words:
        return Unreadable(CELL_TOO_LONG(where=where, count=MOST_CELL), code="cell_too_long")
    if "unexpected end" in words:
        return Unreadable(UNCLOSED_QUOTE(number=first), code="unclosed_quote")
    return Unreadable(STRAY_QUOTE(where=where), code="stray_quote")
