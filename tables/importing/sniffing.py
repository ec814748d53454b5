"""Looks at a file before anything is decided: how to read it, what its columns are called and seem to hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from tables.column_types import name_key
from tables.column_types.limits import LIMITS
from tables.importing.delimited import LOOKED_AT, guess_delimiter
from tables.importing.encodings import lines_of
from tables.importing.naming import column_names, storable
from tables.importing.reading import opened
from tables.importing.records import Records
from tables.importing.separators import (
    FORM_OF,
    ChosenSeparator,
    Decimal,
    Separator,
    SeparatorCount,
    choose_separators,
    separators_of,
)
from tables.importing.source import FOR_PROGRAMS, Pieces, RawRow, ReaderDefaults, Source, Unreadable
from tables.importing.spreadsheets import is_spreadsheet
from tables.importing.type_detection import Guess, could_be_name, example, guess_column, with_separator
from user_messages import declare

EMPTY_FILE = declare("empty_file", "There are no rows in this file.")
TOO_MANY_FILE_COLUMNS = declare(
    "too_many_file_columns", "This has {count:,} columns; a table has at most {limit:,}."
)

Json = dict[str, Any]
SAMPLE_ROWS = 1_000
SAMPLE_CELLS = 50_000
# Names that records bring later than this are told of as cells without a column.
SAMPLE_RECORDS = 50_000
# Numbers in later rows that contradict what was found are reported as cells that cannot be read.
SEPARATOR_ROWS = 100_000
SHOWN_ROWS = 5
JSON_ENDINGS = (".json", ".jsonl", ".ndjson")


@dataclass(frozen=True)
class Sniffed:
    """How the file is read, the names of its columns (`given` is what stood there), and what each seems to hold."""

    source: Source
    names: tuple[str, ...]
    given: tuple[str, ...]
    guesses: tuple[Guess, ...]
    shown: tuple[tuple[str, ...], ...]
    total: int

    def as_json(self) -> Json:
        """The form it is kept in."""
        columns = [
            {"index": index, "name": name, "given": given, **guess.as_json()}
            for index, (name, given, guess) in enumerate(zip(self.names, self.given, self.guesses, strict=True))
        ]
        shown = [list(row) for row in self.shown]
        return {"source": self.source.as_json(), "columns": columns, "rows": shown, "total": self.total}


def guess_source(pieces: Callable[[], Pieces], *, encoding: Callable[[], str], file_name: str = "") -> Source:
    """How to read a file of which nobody has said anything; whether it has a header is not asked here."""
    head = next(iter(pieces()), b"")
    if is_spreadsheet(head):
        return Source("spreadsheet")
    source = Source("delimited", encoding=encoding())
    if _are_records(pieces, encoding=source.encoding, named_so=file_name.lower().endswith(JSON_ENDINGS)):
        return replace(source, format="records")
    lines = list(islice(lines_of(pieces(), encoding=source.encoding), LOOKED_AT))
    return replace(source, delimiter=guess_delimiter(lines))


def sniff(
    pieces: Callable[[], Pieces],
    *,
    source: Source,
    header: bool | None = None,
    known: Collection[str] = (),
    defaults: ReaderDefaults = FOR_PROGRAMS,
) -> Sniffed:
    """What the file holds, read as `source`; `header` None has that guessed, also from names that are `known`.

    `defaults` are taken where the file does not say it. Raises Unreadable.
    """
    with opened(pieces(), source=source) as file:
        sample = _sample(file.rows)
        if source.format == "records":
            further: Iterable[RawRow] = _telling_rows(islice(file.rows, SAMPLE_RECORDS))
            given: list[Any] = list(file.names)
        else:
            further = islice(file.rows, SEPARATOR_ROWS)
            has_header = _has_header(sample, known=known) if header is None else header
            source = replace(file.source, header=has_header)
            given = list(sample[0][1]) if has_header and sample else []
            sample = sample[has_header:]
        total = max(0, file.total - source.header) if source.format == "spreadsheet" else 0
        width = max(len(given), _usual_width(sample))
        if not width:
            raise Unreadable(EMPTY_FILE(), code="empty_file")
        if width > LIMITS.columns:
            message = TOO_MANY_FILE_COLUMNS(count=max(width, file.width), limit=LIMITS.columns)
            raise Unreadable(message, code="too_many_columns")
        given += [""] * (width - len(given))
        values = list(zip(*(_wide(row, width=width) for _, row in sample), strict=True)) or [()] * width
        names = [storable(name) for name in given]
        guesses = _guesses(values, names=names, further=further, decimal=source.decimal, default=defaults.decimal)
    cells = [_wide(row, width=width) for _, row in sample[:SHOWN_ROWS]]
    return Sniffed(
        source=source,
        names=tuple(column_names(given, unnamed=defaults.unnamed_column)),
        given=tuple(names),
        guesses=tuple(guesses),
        shown=tuple(tuple("" if cell is None else example(cell) for cell in row) for row in cells),
        total=total,
    )


def _guesses(
    values: Sequence[Sequence[Any]],
    *,
    names: Sequence[str],
    further: Iterable[RawRow],
    decimal: Separator,
    default: Decimal,
) -> list[Guess]:
    """The guesses for the columns. Where the sample leaves the decimal separator open, the `further` rows decide."""
    guesses = [guess_column(column, name=name) for column, name in zip(values, names, strict=True)]
    if decimal:
        chosen = dict.fromkeys(range(len(guesses)), ChosenSeparator(decimal))
    else:
        numbers = [place for place, guess in enumerate(guesses) if guess.type == "number"]
        counts = {place: SeparatorCount() for place in range(len(guesses))}
        for place, column in enumerate(values):
            for value in column:
                counts[place].add(value)
        _count_further({place: counts[place] for place in numbers}, rows=further)
        chosen = choose_separators(counts, numbers=numbers, default=default)
    return [
        guess_column(values[place], name=names[place], chosen=chosen[place])
        if guess.type == "number" and guess.form != FORM_OF[chosen[place].separator]
        else with_separator(guess, chosen=chosen[place])
        for place, guess in enumerate(guesses)
    ]


def _telling_rows(rows: Iterable[RawRow]) -> list[RawRow]:
    """Two rows in place of all of these: the first unclear number of each column, and the first that decides."""
    unclear: dict[int, Any] = {}
    deciding: dict[int, Any] = {}
    for _, cells in rows:
        for place, cell in enumerate(cells):
            if place not in deciding and isinstance(cell, str) and (found := separators_of(cell)):
                (unclear if found == ".," else deciding).setdefault(place, cell)
    found_places = range(max((*unclear, *deciding), default=-1) + 1)
    return [(0, [cells.get(place) for place in found_places]) for cells in (unclear, deciding)]


def _count_further(counts: dict[int, SeparatorCount], *, rows: Iterable[RawRow]) -> None:
    """Look for the first value of each column that can be read with one decimal separator only."""
    # Numbers of a workbook have no separator.
    open_places = {place: count for place, count in counts.items() if count.texts and not count.decided}
    if not open_places:
        return
    with suppress(Unreadable):  # a broken row is reported when the rows are read
        for _, cells in rows:
            for place, count in list(open_places.items()):
                if place < len(cells) and isinstance(cells[place], str):
                    count.add(cells[place])
                    if count.decided:
                        del open_places[place]
            if not open_places:
                return


def _sample(rows: Any) -> list[RawRow]:
    """The first rows: fewer of wide ones, so that looking at them stays a matter of a moment."""
    found: list[RawRow] = []
    cells = 0
    for row in rows:
        found.append(row)
        cells += len(row[1])
        if len(found) >= SAMPLE_ROWS or (cells >= SAMPLE_CELLS and len(found) > 1):
            break
    return found


def _has_header(sample: Sequence[RawRow], *, known: Collection[str]) -> bool:
    """Names are texts, no two the same; where all rows are like the first, it is taken for names all the same."""
    if not sample:
        return False
    filled = [cell for cell in sample[0][1] if cell not in (None, "")]
    keys = {name_key(name) for name in known}
    if 2 * sum(isinstance(cell, str) and name_key(cell) in keys for cell in filled) > len(filled):
        return True
    distinct = {cell.strip().casefold() for cell in filled if isinstance(cell, str)}
    return bool(filled) and len(distinct) == len(filled) and all(could_be_name(cell) for cell in filled)


def _usual_width(sample: Sequence[RawRow]) -> int:
    widths = Counter(len(row) for _, row in sample)
    return max(widths.items(), key=lambda entry: (entry[1], entry[0]))[0] if widths else 0


def _wide(row: list[Any], *, width: int) -> list[Any]:
    return row[:width] + [None] * (width - len(row))


def _are_records(pieces: Callable[[], Pieces], *, encoding: str, named_so: bool) -> bool:
    """Whether it is JSON: it is called so, or its first record can be read."""
    try:
        found = next(Records(pieces(), encoding=encoding).rows(), None)
    except Unreadable:
        if named_so:
            raise
        return False
    return named_so or found is not None
