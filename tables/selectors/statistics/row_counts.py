"""The number of rows of a view: exact where it is known or cheap, otherwise estimated from a sample of the table."""
from __future__ import annotations

import json
import math
from random import Random
from typing import NamedTuple

from django.db import connection

from tables.column_types import TableShape
from tables.models import Table
from tables.operations.queries.filters import Filter
from tables.selectors.rows.costs import max_row_count
from tables.selectors.rows.reading import ROWS, live_rows, view_conditions
from tables.selectors.sql.expressions import Sql, row_column, row_is_live
from tables.selectors.sql.search_indexes import narrowing
from tables.selectors.statistics.cache import LARGE, cached_count, cached_estimate, known_count
from tables.selectors.tables import table_shape

# Neighbouring rows are often alike, so each row of the sample is from another part of the table.
SAMPLE_ROWS = 300
# A table with fewer positions is read as a whole.
SHORT = 1_000


class RowCount(NamedTuple):
    """A number of rows, which may be an estimate."""

    value: int
    exact: bool


def row_count(
    table: Table,
    *,
    shape: TableShape | None = None,
    filter: Filter | None = None,  # noqa: A002
    search: str = "",
    seen: int | None = None,
    at_least: int = 0,
    accuracy: str = "",
) -> RowCount:
    """Return the number of matching rows, by default exact only for tables of at most LARGE rows.

    `accuracy` "exact" counts in every table, and "estimate" in none. A count that is known is always exact. `seen` is
    the result of `count_from_page`, and `at_least` the number of rows that are known to match.
    """
    shape = shape or table_shape(table)
    rows = max_row_count(table)
    if accuracy == "exact" or (not accuracy and rows <= LARGE):
        return RowCount(cached_count(table, shape=shape, filter=filter, search=search, seen=seen), True)
    known = known_count(table, shape=shape, filter=filter, search=search, seen=seen)
    if known is not None:
        return RowCount(known, True)
    if not filter and not search.strip():
        return RowCount(max(rows, at_least), False)

    def compute() -> tuple[int, bool]:
        return _estimate(table, filter=filter, search=search, rows=rows)

    value, exact = cached_estimate(table, shape=shape, filter=filter, search=search, compute=compute)
    return RowCount(max(value, at_least), exact)


def _estimate(table: Table, *, filter: Filter | None, search: str, rows: int) -> tuple[int, bool]:  # noqa: A002
    """Return the estimated number of matching rows, and whether the sample had all rows of the table."""
    if connection.vendor == "sqlite" and narrowing(table, filter, search=search).condition:
        # A few rows, which an index finds.
        return live_rows(table, filter=filter, search=search).count(), True
    matching, sampled = _sample(table, conditions=view_conditions(filter, search=search, table=table))
    if table.next_position < SHORT:
        return matching, True
    return rounded(matching, sampled=sampled, rows=rows), False


def rounded(matching: int, *, sampled: int, rows: int) -> int:
    """Return the number of matching rows of all, in steps of 1, 2, 5, 10, 20 … that exceed the standard error."""
    # Also where all rows of the sample match, or none, others may not.
    share = (matching + 1) / (sampled + 2)
    error = rows * math.sqrt(share * (1 - share) / max(sampled, 1))
    power = 10 ** math.floor(math.log10(max(error, 1)))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= error)
    return min(round(rows * matching / max(sampled, 1) / step) * step, rows)


def _sample(table: Table, *, conditions: list[Sql]) -> tuple[int, int]:
    """Return how many rows of a sample match, and the size of the sample.

    It consists of rows at random distances in the order of the table, or of all rows of a short table.
    """
    live, pk, position = row_is_live(table), row_column("id").text, row_column("position").text
    is_sqlite = connection.vendor == "sqlite"
    hint = " INDEXED BY rows_in_order" if is_sqlite else ""
    rows = f"FROM {ROWS}{hint} WHERE {live.text}"
    ends = [f"(SELECT {position} {rows} ORDER BY {position} {order} LIMIT 1)" for order in ("ASC", "DESC")]
    starts = "json_each(%s) AS start" if is_sqlite else "unnest(%s::bigint[]) AS start(value)"
    chosen = f"SELECT {pk} {rows} AND {position} >= start.value ORDER BY {position}, {pk} LIMIT 1"
    # Where many rows were deleted, several positions may lead to the same row.
    sample = f"SELECT DISTINCT ({chosen}) AS pk FROM {starts}"
    if table.next_position < SHORT:
        sample = f"SELECT {pk} AS pk {rows}"
    wanted = Sql.joined(conditions, between=" AND ", around="({})")
    text = (
        f"SELECT SUM(CASE WHEN {wanted.text} THEN 1 ELSE 0 END), SUM(1)"
        f" FROM ({sample}) AS sample JOIN {ROWS} ON {pk} = sample.pk WHERE {live.text}"
    )
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(ends)}", [*live.params, *live.params])
        first, last = cursor.fetchone()
        if first is None:
            return 0, 0
        params = [*wanted.params, *live.params]
        if table.next_position >= SHORT:
            positions = _spread(first, last)
            params.append(json.dumps(positions) if is_sqlite else positions)
        cursor.execute(text, [*params, *live.params])
        matching, sampled = cursor.fetchone()
    return int(matching or 0), int(sampled or 0)


def _spread(first: int, last: int) -> list[int]:
    """Return random positions, one of each of as many equal sections; the same for the same table."""
    random = Random(first)
    section = (last - first) / SAMPLE_ROWS
    return [first + int(section * (number + random.random())) for number in range(SAMPLE_ROWS)]
