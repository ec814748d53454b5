"""The state of found results in a review: whether the table has them, can get them, or has changed since.

A result is "invalid" while a column refuses its value, as after a conversion or when an option was deleted.

Whether a result is applied is not stored: it is, while the row has its values.
"""
from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple, Protocol

from django.db.models import OuterRef, QuerySet, Subquery, TextField
from django.db.models.functions import Cast

from fills.models import Result
from fills.services.value_checks import value_faults
from tables.operations import TableShape
from tables.operations.changes.delta import equivalent
from tables.selectors import Table, live_rows, rows_by_id

Json = dict[str, Any]
PLAIN_FIELDS = ("pk", "row_id", "row_version", "state", "note", "change_id", "current_version")
JSON_FIELDS = ("cells", "values", "corrections")
OPEN, APPLIED, CHANGED, EDITED, DELETED, INVALID = "open", "applied", "conflict", "edited", "deleted", "invalid"


class Reviewed(Protocol):
    """A result as far as a review needs it."""

    @property
    def pk(self) -> int: ...
    @property
    def row_id(self) -> int: ...
    @property
    def row_version(self) -> int: ...
    @property
    def state(self) -> str: ...
    @property
    def cells(self) -> Json: ...
    @property
    def values(self) -> Json: ...
    @property
    def corrections(self) -> Json: ...
    @property
    def note(self) -> str: ...
    @property
    def change_id(self) -> int | None: ...


class ReviewedResult(NamedTuple):
    """A result that is read for an apply, and the version of its row, None if that was deleted."""

    pk: int
    row_id: int
    row_version: int
    state: str
    note: str
    change_id: int | None
    current_version: int | None
    cells: Json
    values: Json
    corrections: Json


def review_states(
    results: Sequence[Reviewed], *, table: Table, shape: TableShape, unchanged: Mapping[int, Json] | None = None
) -> dict[int, str]:
    """Return the state of found results in a review by row: see `review_state`, or "invalid". Others have none.

    `unchanged` are the cells of rows that have not changed since they were read.
    """
    found = [result for result in results if result.state == Result.State.FOUND]
    current = dict[int, Mapping[str, Any]](unchanged or {})
    others = [result.row_id for result in found if result.row_id not in current]
    rows = rows_by_id(table, others, shape=shape) if others else {}
    current |= {row_id: row.data for row_id, row in rows.items()}
    columns = {column.id for column in shape.columns}
    states = {
        result.row_id: review_state(result, current=current.get(result.row_id), columns=columns) for result in found
    }
    applicable = [result for result in found if states[result.row_id] in (OPEN, CHANGED)]
    return states | dict.fromkeys(value_faults(applicable, shape=shape), INVALID)


def review_state(result: Reviewed, *, current: Mapping[str, Any] | None, columns: Set[str]) -> str:
    """Return whether a result is "open", "applied", "edited" since it was applied, a "conflict", or its row "deleted".

    `current` are the cells of the row, None if it was deleted. `columns` are those that the table has: what was read or
    found for others is neither compared nor applied.
    """
    if current is None:
        return DELETED

    def are_equal(cells: Mapping[str, Any]) -> bool:
        return all(key not in columns or equivalent(current.get(key), value) for key, value in cells.items())

    values = {key: value for key, value in (result.values | result.corrections).items() if key in columns}
    if values and are_equal(values):
        return APPLIED
    if current is result.cells or are_equal(result.cells):
        return OPEN
    targets = {key: result.cells.get(key) for key in values}
    return EDITED if result.change_id is not None and not are_equal(targets) else CHANGED


def read_results(results: QuerySet[Result], *, table: Table) -> list[ReviewedResult]:
    """Return results with the versions of their rows, in one query. There may be ten thousand."""
    versions = live_rows(table).filter(pk=OuterRef("row_id")).values("version")
    texts = {f"{name}_text": Cast(name, TextField()) for name in JSON_FIELDS}
    read = results.annotate(current_version=Subquery(versions), **texts).values_list(*PLAIN_FIELDS, *texts)
    if not (fields := [*zip(*read, strict=True)]):
        return []
    plain, written = fields[: len(PLAIN_FIELDS)], fields[len(PLAIN_FIELDS) :]
    # The texts of a field are parsed together, which is many times faster than each alone.
    return [*map(ReviewedResult._make, zip(*plain, *map(_parsed, written), strict=True))]


def _parsed(texts: Sequence[str]) -> list[Json]:
    parsed: list[Json] = json.loads(f"[{','.join(texts)}]")
    return parsed


def unchanged_cells(results: Sequence[ReviewedResult]) -> dict[int, Json]:
    """Return the cells that were read of rows that have not changed since, which need not be read again."""
    return {each.row_id: each.cells for each in results if each.current_version == each.row_version}
