"""Detect the decimal separator of numbers from all values of a column: `12,5` is decisive, `1.200` is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tables.column_types.decimal_separators import Decimal, separators_of
from tables.column_types.number_values import strip_number_marks

Separator = Literal["", Decimal]


def usual_separator(value: str) -> Separator:
    """Return the likely separator of an ambiguous amount: three digits after a separator are thousands.

    After a comma they are only in the English form, with the currency sign directly before the number: $1,799.
    An amount like 1,799 € has no likely separator.
    """
    _, body, money = strip_number_marks(value)
    if not money:
        return ""
    if "." in body:
        return ","
    before = value[: value.index(body)].lstrip("+-\u2212 ")
    return "." if before and not before[-1].isspace() else ""


@dataclass
class SeparatorCount:
    """Counts the values of a column that can be read with one decimal separator only; `unclear` is an ambiguous one.

    `usual` is the likely separator of that value, "" if unknown.
    """

    point: int = 0
    comma: int = 0
    unclear: str = ""
    usual: Separator = ""
    texts: bool = False

    def add(self, value: Any) -> None:
        """Count one more value."""
        self.texts = self.texts or isinstance(value, str)
        found = separators_of(value)
        if found == ".":
            self.point += 1
        elif found == ",":
            self.comma += 1
        elif found and not self.unclear:
            self.unclear = value
            self.usual = usual_separator(value)

    @property
    def decided(self) -> bool:
        """Whether any value of the column has only one reading."""
        return bool(self.point or self.comma)

    @property
    def separator(self) -> Separator:
        """The separator of most values; "" if no value is decisive."""
        return "." if self.point > self.comma else "," if self.comma > self.point else ""


@dataclass(frozen=True)
class ChosenSeparator:
    """The decimal separator of a column; `unclear` is a value for which only the user's language decided, else ""."""

    separator: Decimal
    unclear: str = ""


def choose_separators(
    counts: Mapping[int, SeparatorCount], *, numbers: Iterable[int], default: Decimal
) -> dict[int, ChosenSeparator]:
    """Return the separator of each column: of its own values, else of the file's numbers, else the `default`.

    `numbers` are the columns of numbers. A file is written by one program, so they decide for the others, unless they
    contradict each other.
    """
    others = {counts[index].separator for index in numbers if counts[index].decided} - {""}
    of_file: Separator = next(iter(others)) if len(others) == 1 else ""
    return {index: _choose(count, of_file=of_file, default=default) for index, count in counts.items()}


def _choose(count: SeparatorCount, *, of_file: Separator, default: Decimal) -> ChosenSeparator:
    contradictory = bool(count.point and count.comma)
    separator = count.separator or of_file
    if separator and not contradictory:
        return ChosenSeparator(separator)
    return ChosenSeparator(separator or count.usual or default, unclear=count.unclear)
