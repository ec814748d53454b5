"""The cost of filters and searches, estimated before a row is read: conditions and words times rows.

It is counted in tests of one short cell.
"""
from __future__ import annotations

from collections.abc import Iterable

from tables.column_types import get_column_type
from tables.exceptions import Fault, Invalid
from tables.operations.filters import Condition, Filter
from user_messages import Message, declare

# A test of a number takes about 60 ns on SQLite on a small machine, so that one scan takes at most 3 s.
MAX_COST = 40_000_000
# Searching in text costs this many times as much as comparing a number, and more for a long value.
TEXT_WEIGHT = 2
CHARACTERS_A_WEIGHT = 256
# A search looks for each word in the text of all cells; in so many of them it takes as long as a number's test.
CELLS_A_WEIGHT = 4
# One condition, and one word, fits a table of any size.
MAX_WEIGHT = 20
CONDITIONS_TOO_COSTLY = declare(
    "conditions_too_costly",
    "{count:,} conditions are too many for a table of {rows:,} rows."
    " About {fitting:,} of this kind fit in one request.",
)
WORDS_TOO_COSTLY = declare(
    "words_too_costly",
    "{count:,} search words are too many for a table of {rows:,} rows. About {fitting:,} fit in one request.",
)
WORDS_AND_CONDITIONS_TOO_COSTLY = declare(
    "words_and_conditions_too_costly",
    "{count:,} search words are too many for a table of {rows:,} rows. Remove some of the conditions.",
)


def filter_cost(filters: Iterable[Filter], *, words: int = 0, columns: int = 0, rows: int) -> int:
    """The estimated cost of testing each distinct filter, and so many words of a search, on so many rows."""
    return rows * (sum(map(_weight, _conditions(filters))) + words * word_weight(columns))


def refuse_too_costly(filters: Iterable[Filter], *, words: int = 0, columns: int = 0, rows: int, path: str) -> None:
    """Raise Invalid, with what would fit, when these cost more than a request may.

    A filter that fits alone is not to blame for the search beside it: then the fault is that of `search`.
    """
    conditions = _conditions(filters)
    cost = rows * sum(map(_weight, conditions))
    if cost > MAX_COST:
        fitting = max(1, len(conditions) * MAX_COST // cost)
        raise _too_costly(CONDITIONS_TOO_COSTLY(count=len(conditions), rows=rows, fitting=fitting), path=path)
    one_word = rows * word_weight(columns)
    if cost + words * one_word > MAX_COST:
        fitting = (MAX_COST - cost) // one_word
        if fitting:
            raise _too_costly(WORDS_TOO_COSTLY(count=words, rows=rows, fitting=fitting), path="search")
        raise _too_costly(WORDS_AND_CONDITIONS_TOO_COSTLY(count=words, rows=rows), path="search")


def word_weight(columns: int) -> int:
    """How many times as much as comparing a number it costs to look for a word in a row of so many columns."""
    return min(1 + columns // CELLS_A_WEIGHT, MAX_WEIGHT)


def _too_costly(message: Message, *, path: str) -> Invalid:
    return Invalid(message, code="too_costly", faults=(Fault(path=path, code="too_costly", message=message),))


def _conditions(filters: Iterable[Filter]) -> list[Condition]:
    return [each for found in dict.fromkeys(filters) for clause in found.clauses for each in clause.conditions]


def _weight(condition: Condition) -> int:
    if get_column_type(condition.type).comparison != "folded" or not isinstance(condition.value, str):
        return 1
    return min(TEXT_WEIGHT + len(condition.value) // CHARACTERS_A_WEIGHT, MAX_WEIGHT)
