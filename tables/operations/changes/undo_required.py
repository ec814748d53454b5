"""Required columns that an undo would leave without values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from shared.user_messages import declare_plural
from tables.column_types import ColumnSpec

WOULD_BE_REQUIRED = declare_plural(
    "would_be_required",
    "“{column}” would be required, but 1 row has no value in it.",
    "“{column}” would be required, but {count:,} rows have no value in it.",
)


@dataclass(frozen=True)
class RequiredColumns:
    """Questions about required columns that only the database answers; they are asked if the plan depends on them.

    `count_empty(columns)` returns the number of rows without a value in each, by id, before the undo.
    `required_since()` returns the ids of the columns that became required after the change.
    """

    count_empty: Callable[[Sequence[ColumnSpec]], Mapping[str, int]]
    required_since: Callable[[], AbstractSet[str]]


def newly_empty(rows: Iterable[list[Any]], key: str) -> int:
    """Return how many more rows have no value in a column after these changes of rows (as in a `Delta`) than before."""
    return sum(
        (now is not None and is_empty(now.get(key))) - (was is not None and is_empty(was.get(key)))
        for _, was, now in rows
        if was is None or now is None or key in now
    )


def is_empty(value: Any) -> bool:
    """Return whether a stored value is none in a required column: text of only white space is not."""
    return value is None or (isinstance(value, str) and not value.strip())
