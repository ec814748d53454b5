"""How a file is to be read: its format, and what cannot be seen from the format alone."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from tables.exceptions import Invalid
from tables.importing.naming import UNNAMED, UNNAMED_TABLE
from tables.importing.separators import Decimal, Separator

Format = Literal["delimited", "spreadsheet", "records"]
# What the rows of a file are counted by, and their cells as they were read: texts, or what JSON knows.
RawRow = tuple[int, list[Any]]
Pieces = Iterable[bytes]
DELIMITERS = (",", ";", "\t", "|")
# "": the one that the numbers in the file show.
DECIMALS: tuple[Separator, ...] = ("", ".", ",")


class Unreadable(Invalid):
    """The file cannot be read as what it seems to be; the sentence says where and why."""

    code = "unreadable_file"


@dataclass(frozen=True)
class Source:
    """How to read a file. `encoding` and `delimiter` mean something for delimited text, `sheet` for spreadsheets.

    `decimal` is the decimal separator of all numbers, "" for the one that the values of each column show.
    """

    format: Format
    encoding: str = "utf-8"
    delimiter: str = ","
    header: bool = True
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    decimal: Separator = ""

    def as_json(self) -> dict[str, Any]:
        """The form in which it is kept."""
        return {**asdict(self), "sheets": list(self.sheets)}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Source:
        """What `as_json` wrote."""
        return cls(**{**kept, "sheets": tuple(kept.get("sheets", ()))})


@dataclass(frozen=True)
class ReaderDefaults:
    """What is taken where a file does not say it. Pages give those of the reader; programs get these.

    `decimal` is the decimal separator of numbers that can be read in two ways; the others are names in the reader's
    language.
    """

    decimal: Decimal = "."
    unnamed_column: str = UNNAMED
    unnamed_table: str = UNNAMED_TABLE


FOR_PROGRAMS = ReaderDefaults()


def without_header(rows: Iterable[RawRow], *, source: Source) -> Iterator[RawRow]:
    """The rows that are no names of columns; those of JSON name their columns themselves."""
    found = iter(rows)
    if source.header and source.format != "records":
        next(found, None)
    return found
