"""The source of rows: the format of a file and the options for reading it."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from tables.column_types.decimal_separators import Decimal
from tables.exceptions import Invalid
from tables.importing.names import UNNAMED, UNNAMED_TABLE
from tables.importing.separators import Separator

Format = Literal["delimited", "spreadsheet", "records"]
# The number of a row in the file, and its cells as read: texts, or JSON values.
RawRow = tuple[int, list[Any]]
Pieces = Iterable[bytes]
DELIMITERS = (",", ";", "\t", "|")
# "": detected from the numbers in the file.
DECIMALS: tuple[Separator, ...] = ("", ".", ",")


class Unreadable(Invalid):
    """The file cannot be read in its format; the message says where and why."""

    code = "unreadable_file"


@dataclass(frozen=True)
class Source:
    """The format and reading options of a file.

    `encoding` and `delimiter` apply to delimited text, `sheet` to spreadsheets. `decimal` is the decimal separator of
    all numbers, "" to detect it for each column. `member` is the path of the rows in a ZIP archive with files, "" for
    any other file. `header_reason` is one of `tables.importing.headers.REASONS`, "" if it was not recorded.
    """

    format: Format
    encoding: str = "utf-8"
    delimiter: str = ","
    header: bool = True
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    decimal: Separator = ""
    member: str = ""
    header_reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the stored form."""
        return {**asdict(self), "sheets": list(self.sheets)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Source:
        """Return the source that `as_json` wrote."""
        return cls(**{**stored, "sheets": tuple(stored.get("sheets", ()))})


@dataclass(frozen=True)
class ReaderDefaults:
    """Defaults for ambiguous files. Pages use those of the user's language; API clients get these.

    `decimal` is the decimal separator of ambiguous numbers; the others are names in the user's language.
    """

    decimal: Decimal = "."
    unnamed_column: str = UNNAMED
    unnamed_table: str = UNNAMED_TABLE


FOR_PROGRAMS = ReaderDefaults()


def without_header(rows: Iterable[RawRow], *, source: Source) -> Iterator[RawRow]:
    """Yield the rows without the header; records have none."""
    found = iter(rows)
    if source.header and source.format != "records":
        next(found, None)
    return found
