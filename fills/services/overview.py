"""How many results of a fill are left to review, by kind, and of which rows."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from fills.models import Result
from fills.selectors import UNFINISHED, get_fill, results_of
from fills.services.review_states import APPLIED, CHANGED, DELETED, INVALID, OPEN, review_states
from tables.selectors import table_shape

# "open" are results that can be applied, "high", "medium" and "low" those of them with this confidence, "unverified"
# those with this mark; "conflict": rows that have changed since they were read; "invalid": values that their columns
# refuse by now; "deleted": rows that were deleted.
KINDS = (
    "open", "high", "medium", "low", "unverified", "conflict", "invalid", "deleted", "applied", "empty", "failed",
    "discarded",
)  # fmt: skip
READ_AT_A_TIME = 1_000


@dataclass(frozen=True)
class Overview:
    """The number of rows of each kind, and the ids of those of one kind in the order of the fill."""

    counts: dict[str, int]
    rows: list[int]


def review_overview(*, user: Any, table_id: int, fill_id: UUID, kind: str = "") -> Overview:
    """Compare the results of a fill with the rows of its table. Raises NotFound."""
    fill, table = get_fill(user, table_id, fill_id=fill_id)
    shape = table_shape(table)
    ended = [state for state in Result.State.values if state not in UNFINISHED]
    found = results_of(fill, states=ended).only(
        "fill_id", "row_id", "state", "values", "corrections", "cells", "confidence", "is_unverified", "change_id"
    )
    counts, rows = dict.fromkeys(KINDS, 0), []
    results = list(found)
    for start in range(0, len(results), READ_AT_A_TIME):
        page = results[start : start + READ_AT_A_TIME]
        reviews = review_states(page, table=table, shape=shape)
        for result in page:
            kinds = _kinds(result, review=reviews.get(result.row_id, ""))
            for each in kinds:
                counts[each] += 1
            if kind in kinds:
                rows.append(result.row_id)
    return Overview(counts, rows)


def _kinds(result: Result, *, review: str) -> tuple[str, ...]:
    if result.state != Result.State.FOUND:
        return (str(result.state),)
    if review == OPEN:
        return ("open", result.confidence or "low", *(("unverified",) if result.is_unverified else ()))
    return (review,) if review in (APPLIED, CHANGED, DELETED, INVALID) else ()
