"""The cost of filters and searches, estimated before reading: conditions and words times rows.

The unit is the test of one short cell.
"""
from __future__ import annotations

from collections.abc import Iterable

from shared.user_messages import Message, declare
from tables.column_types import get_column_type
from tables.exceptions import Fault, Invalid
from tables.operations.queries.filters import Condition, Filter

# On a small machine, SQLite tests a number in about 60 ns, so that one scan takes at most 3 s.
MAX_COST = 40_000_000
# Searching in text costs this many times as much as comparing a number, and more for a long value.
TEXT_WEIGHT = 2
CHARACTERS_PER_WEIGHT = 256
# A search tests each word against the text of all cells: this many cells cost as much as the test of a number.
CELLS_PER_WEIGHT = 4
# A single condition and a single word are allowed for tables of any size.
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
    """Return the estimated cost of testing each distinct filter, and a search of `words` words, on `rows` rows."""
    return rows * (sum(map(_weight, _conditions(filters))) + words * word_weight(columns))


def refuse_too_costly(filters: Iterable[Filter], *, words: int = 0, columns: int = 0, rows: int, path: str) -> None:
    """Raise Invalid, stating what would be allowed, if these cost more than a request may.

    If the filter alone is allowed, the fault is that of `search`.
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
    """Return the cost of testing a row of `columns` columns for one word, in comparisons of a number."""
    return min(1 + columns // CELLS_PER_WEIGHT, MAX_WEIGHT)


def _too_costly(message: Message, *, path: str) -> Invalid:
    return Invalid(message, code="too_costly", faults=(Fault(path=path, code="too_costly", message=message),))


def _conditions(filters: Iterable[Filter]) -> list[Condition]:
    return [each for found in dict.fromkeys(filters) for clause in found.clauses for each in clause.conditions]


def _weight(condition: Condition) -> int:
    if get_column_type(condition.type).comparison != "folded" or not isinstance(condition.value, str):
        return 1
    return min(TEXT_WEIGHT + len(condition.value) // CHARACTERS_PER_WEIGHT, MAX_WEIGHT)
