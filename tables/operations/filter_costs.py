"""The cost of filters, estimated before a row is read: conditions times rows, counted in tests of one short cell."""
from __future__ import annotations

from collections.abc import Iterable

from tables.column_types import get_column_type
from tables.exceptions import Fault, Invalid
from tables.operations.filters import Condition, Filter

# A test of a number takes about 60 ns on SQLite on a small machine, so that one scan takes at most 3 s.
MAX_COST = 40_000_000
# Searching in text costs this many times as much as comparing a number, and more for a long value.
TEXT_WEIGHT = 2
CHARACTERS_A_WEIGHT = 256
# One condition fits a table of any size.
MAX_WEIGHT = 20


def filter_cost(filters: Iterable[Filter], *, rows: int) -> int:
    """The estimated cost of testing each distinct filter on so many rows."""
    return rows * sum(map(_weight, _conditions(filters)))


def refuse_too_costly(filters: Iterable[Filter], *, rows: int, path: str) -> None:
    """Raise Invalid, with the number of conditions that would fit, when these cost more than a request may."""
    conditions = _conditions(filters)
    cost = rows * sum(map(_weight, conditions))
    if cost > MAX_COST:
        fitting = max(1, len(conditions) * MAX_COST // cost)
        detail = (
            f"{len(conditions):,} conditions are too many for a table of {rows:,} rows."
            f" About {fitting:,} of this kind fit in one request."
        )
        raise Invalid(detail, code="too_costly", faults=(Fault(path=path, code="too_costly", detail=detail),))


def _conditions(filters: Iterable[Filter]) -> list[Condition]:
    return [each for found in dict.fromkeys(filters) for clause in found.clauses for each in clause.conditions]


def _weight(condition: Condition) -> int:
    if get_column_type(condition.type).comparison != "folded" or not isinstance(condition.value, str):
        return 1
    return min(TEXT_WEIGHT + len(condition.value) // CHARACTERS_A_WEIGHT, MAX_WEIGHT)
