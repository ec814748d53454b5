"""Whether the first row of a file has the names of its columns."""
from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tables.column_types import name_key
from tables.importing.file_formats.source import RawRow
from tables.importing.type_detection import MIN_SHARE, could_be_name, fitting_types

# Why the first row is taken for names, or for values:
# "requested": the request says so; "records": JSON has names with its values; "known_names": most cells are names of
# columns of the table; "frozen_row": the first row of the sheet is frozen; "other_values": a cell has another kind than
# the values below it; "texts": the cells are distinct texts; "same_values": cells are values like those below them;
# "repeated": a cell is there twice; "blank": no cell is filled.
Reason = Literal[
    "requested", "records", "known_names", "frozen_row", "other_values", "texts", "same_values", "repeated", "blank"
]
REASONS: tuple[Reason, ...] = (
    "requested", "records", "known_names", "frozen_row", "other_values", "texts", "same_values", "repeated", "blank",
)  # fmt: skip
# So many values of each column are compared with its first cell.
COMPARED_VALUES = 50
YEAR = re.compile(r"(19|20)[0-9]{2}")


@dataclass(frozen=True)
class Header:
    """Whether the first row has the names of the columns, and why."""

    is_first_row: bool
    reason: Reason


def detect_header(
    sample: Sequence[RawRow],
    *,
    known: Collection[str] = (),
    quoted: Collection[int] = (),
    is_frozen: bool = False,
) -> Header:
    """Return whether the first of these rows is a header.

    `known` are the names of the columns of the table that gets the rows. `quoted` are the indexes of first cells that
    are quoted although they need not be, unlike the values below them, so that they are texts. `is_frozen`: whether
    the first row of the sheet does not scroll. A first row that does not differ from the others is a header.
    """
    first = list(sample[0][1]) if sample else []
    filled = {index: _written(cell) for index, cell in enumerate(first) if cell is not None and cell != ""}
    if not filled:
        return Header(False, "blank")
    if is_frozen:
        return Header(True, "frozen_row")
    keys = {name_key(name) for name in known}
    if 2 * sum(name_key(cell) in keys for cell in filled.values()) > len(filled):
        return Header(True, "known_names")
    if len({cell.casefold() for cell in filled.values()}) < len(filled):
        return Header(False, "repeated")
    verdicts = [
        _compare(first[index], values=_values(sample, index=index), is_text=index in quoted) for index in filled
    ]
    names, values = verdicts.count("name"), verdicts.count("value")
    if values and names <= values:
        return Header(False, "same_values")
    return Header(True, "other_values" if names else "texts")


def _compare(cell: Any, *, values: Sequence[Any], is_text: bool) -> Literal["name", "value", "either"]:
    """Return what a first cell is, compared with the values below it."""
    own = frozenset() if is_text or could_be_name(cell) else fitting_types(cell)
    below = [fitting_types(value) for value in values]
    typed = sum(map(bool, below))
    if not own and (is_text or isinstance(cell, str)):
        # A text; above values that are no texts, it is their name.
        return "name" if typed and typed >= len(values) * MIN_SHARE else "either"
    if not values or _written(cell).casefold() in {_written(value).casefold() for value in values}:
        return "value"
    if YEAR.fullmatch(_written(cell)) and not any(YEAR.fullmatch(_written(value)) for value in values):
        return "either"
    like = sum(bool(own & types) for types in below)
    if like > len(values) * (1 - MIN_SHARE):
        return "value"
    return "name" if typed >= len(values) * MIN_SHARE else "either"


def _values(sample: Sequence[RawRow], *, index: int) -> list[Any]:
    """Return the first filled cells of a column below the first row."""
    cells = (row[index] for _, row in sample[1:] if index < len(row))
    return [cell for cell in cells if cell is not None and cell != ""][:COMPARED_VALUES]


def _written(cell: Any) -> str:
    """Return a cell as text. Spreadsheets have no integers: 2024 is read as 2024.0."""
    return str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell).strip()
