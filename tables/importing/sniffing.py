"""Sniff a file: its format, column names and column types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from shared.user_messages import declare
from tables.column_types import get_column_type, name_key
from tables.column_types.decimal_separators import FORM_OF, Decimal, separators_of
from tables.column_types.files import NO_FILES
from tables.column_types.limits import LIMITS
from tables.column_types.people import NO_PEOPLE, People
from tables.importing.archived_files import ArchivedFiles
from tables.importing.declared_columns import declared_columns
from tables.importing.file_formats.archives import open_archive
from tables.importing.file_formats.delimited import SAMPLE_LINES, guess_delimiter
from tables.importing.file_formats.encodings import EncodingGuess, decode_lines
from tables.importing.file_formats.open_file import OpenFile, open_rows
from tables.importing.file_formats.records import Records, without_ids
from tables.importing.file_formats.source import FOR_PROGRAMS, Pieces, RawRow, ReaderDefaults, Source, Unreadable
from tables.importing.file_formats.spreadsheets import ZIP_SIGNATURE, is_spreadsheet
from tables.importing.headers import Header, detect_header
from tables.importing.names import clean_name, column_names
from tables.importing.separators import ChosenSeparator, Separator, SeparatorCount, choose_separators
from tables.importing.type_detection import (
    Guess,
    declared_guess,
    example,
    guess_column,
    with_separator,
    with_sheet_formats,
)

EMPTY_FILE = declare("empty_file", "This file has no rows.")
TOO_MANY_FILE_COLUMNS = declare(
    "too_many_file_columns", "This has {count:,} columns; a table can have at most {limit:,}."
)

Json = dict[str, Any]
SAMPLE_ROWS = 1_000
SAMPLE_CELLS = 50_000
# Names that first appear in later records are reported as cells without a column.
SAMPLE_RECORDS = 50_000
# Numbers in later rows that contradict the detected separator are reported as unreadable cells.
SEPARATOR_ROWS = 100_000
PREVIEW_ROWS = 5
JSON_ENDINGS = (".json", ".jsonl", ".ndjson")


@dataclass(frozen=True)
class Sniffed:
    """The detected source, column names (`given` as in the file), and the guessed contents of each column."""

    source: Source
    names: tuple[str, ...]
    given: tuple[str, ...]
    guesses: tuple[Guess, ...]
    shown: tuple[tuple[str, ...], ...]
    total: int

    def as_json(self) -> Json:
        """Return the stored form."""
        columns = [
            {"index": index, "name": name, "given": given, **guess.as_json()}
            for index, (name, given, guess) in enumerate(zip(self.names, self.given, self.guesses, strict=True))
        ]
        shown = [list(row) for row in self.shown]
        return {"source": self.source.as_json(), "columns": columns, "rows": shown, "total": self.total}


def guess_source(pieces: Callable[[], Pieces], *, encoding: Callable[[], str], file_name: str = "") -> Source:
    """Return how to read a file without user input. The header is detected later."""
    head = next(iter(pieces()), b"")
    if is_spreadsheet(head):
        archived = _archived_source(pieces, file_name=file_name) if head.startswith(ZIP_SIGNATURE) else None
        return archived or Source("spreadsheet")
    source = Source("delimited", encoding=encoding())
    if _are_records(pieces, encoding=source.encoding, has_json_name=file_name.lower().endswith(JSON_ENDINGS)):
        return replace(source, format="records")
    lines = list(islice(decode_lines(pieces(), encoding=source.encoding), SAMPLE_LINES))
    return replace(source, delimiter=guess_delimiter(lines))


def _archived_source(pieces: Callable[[], Pieces], *, file_name: str) -> Source | None:
    """Return how to read the rows in an archive; None for a workbook. Raises Unreadable."""
    is_named_archive = file_name.lower().endswith(".zip")
    try:
        with open_archive(pieces()) as archive:
            if archive is None:
                return None

            def encoding() -> str:
                guess = EncodingGuess()
                for piece in archive.pieces():
                    guess.feed(piece)
                return guess.name

            is_named_archive = True
            source = guess_source(archive.pieces, encoding=encoding, file_name=archive.rows)
            return replace(source, member=archive.rows)
    except Unreadable:
        # The reader of workbooks explains what is wrong with them.
        if is_named_archive:
            raise
        return None


def sniff(
    pieces: Callable[[], Pieces],
    *,
    source: Source,
    header: bool | None = None,
    known: Collection[str] = (),
    people: People = NO_PEOPLE,
    defaults: ReaderDefaults = FOR_PROGRAMS,
) -> Sniffed:
    """Return the contents of a file read as `source`; if `header` is None, it is guessed, also from `known` names.

    `people` are those of the table that gets the rows; `defaults` apply where the file is ambiguous. Raises Unreadable.
    """
    with open_rows(pieces(), source=source) as file:
        sample = _sample(file.rows)
        if source.format == "records":
            further: Iterable[RawRow] = _decisive_rows(islice(file.rows, SAMPLE_RECORDS))
            source = _with_header(source, Header(source.header, "records"))
            given: list[Any] = list(file.names)
        else:
            further = islice(file.rows, SEPARATOR_ROWS)
            found = detect_header(sample, known=known, quoted=file.quoted, is_frozen=file.is_frozen)
            source = _with_header(file.source, found if header is None else Header(header, "requested"))
            given = list(sample[0][1]) if source.header and sample else []
            sample = sample[source.header :]
        total = max(0, file.total - source.header) if source.format == "spreadsheet" else 0
        width = max(len(given), _usual_width(sample))
        if not width:
            raise Unreadable(EMPTY_FILE(), code="empty_file")
        if width > LIMITS.columns:
            message = TOO_MANY_FILE_COLUMNS(count=max(width, file.width), limit=LIMITS.columns)
            raise Unreadable(message, code="too_many_columns")
        given += [""] * (width - len(given))
        values = list(zip(*(_wide(row, width=width) for _, row in sample), strict=True)) or [()] * width
        names = [clean_name(name) for name in given]
        files = ArchivedFiles(file.archive) if file.archive is not None else NO_FILES
        guess = partial(guess_column, people=people, files=files)
        guesses = _guesses(
            values, names=names, further=further, decimal=source.decimal, default=defaults.decimal, guess=guess
        )
        guesses = _described_guesses(guesses, values=values, names=names, file=file, people=people)
    cells = [_wide(row, width=width) for _, row in sample[:PREVIEW_ROWS]]
    return Sniffed(
        source=source,
        names=tuple(column_names(given, unnamed=defaults.unnamed_column)),
        given=tuple(names),
        guesses=tuple(guesses),
        shown=tuple(tuple("" if cell is None else example(cell) for cell in row) for row in cells),
        total=total,
    )


def _with_header(source: Source, header: Header) -> Source:
    return replace(source, header=header.is_first_row, header_reason=header.reason)


def _guesses(
    values: Sequence[Sequence[Any]],
    *,
    names: Sequence[str],
    further: Iterable[RawRow],
    decimal: Separator,
    default: Decimal,
    guess: Callable[..., Guess],
) -> list[Guess]:
    """Return the guesses for the columns. If the sample does not decide the separator, `further` rows are read."""
    guesses = [guess(column, name=name) for column, name in zip(values, names, strict=True)]
    if decimal:
        chosen = dict.fromkeys(range(len(guesses)), ChosenSeparator(decimal))
    else:
        numbers = [index for index, guess in enumerate(guesses) if get_column_type(guess.type).has_decimals]
        counts = {index: SeparatorCount() for index in range(len(guesses))}
        for index, column in enumerate(values):
            for value in column:
                counts[index].add(value)
        _count_further({index: counts[index] for index in numbers}, rows=further)
        chosen = choose_separators(counts, numbers=numbers, default=default)
    return [
        guess_column(values[index], name=names[index], chosen=chosen[index])
        if get_column_type(guess.type).has_decimals and guess.form != FORM_OF[chosen[index].separator]
        else with_separator(guess, chosen=chosen[index])
        for index, guess in enumerate(guesses)
    ]


def _described_guesses(
    guesses: Sequence[Guess],
    *,
    values: Sequence[Sequence[Any]],
    names: Sequence[str],
    file: OpenFile,
    people: People,
) -> list[Guess]:
    """Return the guesses with what a workbook or an archive says of the columns."""
    if file.archive is None:
        return [with_sheet_formats(guess, file.formats.get(index, ())) for index, guess in enumerate(guesses)]
    described, files = declared_columns(file.archive), ArchivedFiles(file.archive)
    columns = [described.get(name_key(name)) for name in names]
    return [
        (declared_guess(cells, column=column, people=people, files=files) if column else None) or guess
        for column, cells, guess in zip(columns, values, guesses, strict=True)
    ]


def _decisive_rows(rows: Iterable[RawRow]) -> list[RawRow]:
    """Return two rows that represent all: the first ambiguous number of each column, and the first decisive one."""
    unclear: dict[int, Any] = {}
    deciding: dict[int, Any] = {}
    for _, cells in rows:
        for index, cell in enumerate(cells):
            if index not in deciding and isinstance(cell, str) and (found := separators_of(cell)):
                (unclear if found == ".," else deciding).setdefault(index, cell)
    found_indexes = range(max((*unclear, *deciding), default=-1) + 1)
    return [(0, [cells.get(index) for index in found_indexes]) for cells in (unclear, deciding)]


def _count_further(counts: dict[int, SeparatorCount], *, rows: Iterable[RawRow]) -> None:
    """Count the first value of each column that can be read with one decimal separator only."""
    # Numbers of a workbook have no separator.
    undecided = {index: count for index, count in counts.items() if count.texts and not count.decided}
    if not undecided:
        return
    with suppress(Unreadable):  # an invalid row is reported when all rows are read
        for _, cells in rows:
            for index, count in list(undecided.items()):
                if index < len(cells) and isinstance(cells[index], str):
                    count.add(cells[index])
                    if count.decided:
                        del undecided[index]
            if not undecided:
                return


def _sample(rows: Any) -> list[RawRow]:
    """Return the first rows; fewer if they are wide, to limit the time for guessing."""
    found: list[RawRow] = []
    cells = 0
    for row in rows:
        found.append((row[0], without_ids(row[1])))
        cells += len(row[1])
        if len(found) >= SAMPLE_ROWS or (cells >= SAMPLE_CELLS and len(found) > 1):
            break
    return found


def _usual_width(sample: Sequence[RawRow]) -> int:
    widths = Counter(len(row) for _, row in sample)
    return max(widths.items(), key=lambda entry: (entry[1], entry[0]))[0] if widths else 0


def _wide(row: list[Any], *, width: int) -> list[Any]:
    return row[:width] + [None] * (width - len(row))


def _are_records(pieces: Callable[[], Pieces], *, encoding: str, has_json_name: bool) -> bool:
    """Return whether the file is JSON: by its name, or because its first record can be read."""
    try:
        found = next(Records(pieces(), encoding=encoding).rows(), None)
    except Unreadable:
        if has_json_name:
            raise
        return False
    return has_json_name or found is not None
