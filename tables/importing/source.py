"""How a file is to be read: its format, and what cannot be seen from the format alone."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from tables.exceptions import Invalid

Format = Literal["delimited", "spreadsheet", "records"]
# What the rows of a file are counted by, and their cells as they were read: texts, or what JSON knows.
RawRow = tuple[int, list[Any]]
Pieces = Iterable[bytes]
DELIMITERS = {",": "Comma", ";": "Semicolon", "\t": "Tab", "|": "Bar"}


class Unreadable(Invalid):
    """The file cannot be read as what it seems to be; the sentence says where and why."""

    code = "unreadable_file"


@dataclass(frozen=True)
class Source:
    """How to read a file. `encoding` and `delimiter` mean something for delimited text, `sheet` for spreadsheets."""

    format: Format
    encoding: str = "utf-8"
    delimiter: str = ","
    header: bool = True
    sheet: str = ""
    sheets: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The form in which it is kept."""
        return {**asdict(self), "sheets": list(self.sheets)}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Source:
        """What `as_json` wrote."""
        return cls(**{**kept, "sheets": tuple(kept.get("sheets", ()))})


def without_header(rows: Iterable[RawRow], *, source: Source) -> Iterator[RawRow]:
    """The rows that are no names of columns; those of JSON name their columns themselves."""
    found = iter(rows)
    if source.header and source.format != "records":
        next(found, None)
    return found
