"""Cached counts and statistics: one entry for each version of a table, filter and search.

The cache limits the number of entries, and MAX_CACHED_LENGTH the size of each. The last statistics of large tables are
also stored in the database, where workers refresh them.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.core.cache import cache
from django.utils import timezone

from shared import strictjson
from tables.column_types import ColumnSpec, TableShape
from tables.models import CachedStatistics, Table
from tables.operations.plans.type_losses import losses_by_type
from tables.operations.queries.filters import Filter
from tables.selectors.rows.reading import count_rows, read_rows
from tables.selectors.statistics.columns import choice_counts, column_stats
from tables.selectors.tables import table_shape
from tables.signals import statistics_computed, statistics_outdated

CACHE_SECONDS = 24 * 3600
MAX_CACHED_LENGTH = 200_000
# Statistics of tables with more rows may be those of an earlier version, if the caller allows it.
LARGE = 10_000
# Maximum rows and columns whose values are converted to other types.
TRIED_ROWS = 200
TRIED_COLUMNS = 60
# A refresh that was requested longer ago has failed; the next request then computes the statistics itself.
REFRESH_TIMEOUT = timedelta(minutes=1)


@dataclass(frozen=True)
class CachedValue:
    """A computed value. `age` is its age in seconds; 0 if it is that of the current version."""

    value: Any
    age: int = 0


def cached_stats(
    table: Table,
    *,
    shape: TableShape | None = None,
    filter: Filter | None = None,  # noqa: A002
    search: str = "",
    allow_stale: bool = False,
) -> CachedValue:
    """Return the result of `column_stats`; with `allow_stale`, maybe that of an earlier version."""
    request = StatisticsRequest("stats", table, shape or table_shape(table), filter, search)
    if (found := _cached(request)) is not None or (allow_stale and (found := _last(request)) is not None):
        return found
    value = column_stats(table, shape=request.shape, filter=filter, search=search)
    if _cache(request, value) and value["row_count"] > LARGE:
        statistics_computed.send_robust(sender=StatisticsRequest, request=request, value=value)
    return CachedValue(value)


def cached_count(
    table: Table,
    *,
    shape: TableShape | None = None,
    filter: Filter | None = None,  # noqa: A002
    search: str = "",
    seen: int | None = None,
) -> int:
    """Return the result of `count_rows`. `seen` is that of `count_from_page`: then nothing is counted."""
    known = known_count(table, shape=shape, filter=filter, search=search, seen=seen)
    if known is not None:
        return known
    request = StatisticsRequest("count", table, shape or table_shape(table), filter, search)
    counted = count_rows(table, shape=request.shape, filter=filter, search=search)
    _cache(request, counted)
    return counted


def known_count(
    table: Table,
    *,
    shape: TableShape | None = None,
    filter: Filter | None = None,  # noqa: A002
    search: str = "",
    seen: int | None = None,
) -> int | None:
    """Return the result of `cached_count` if nothing must be counted for it, else None."""
    if not filter and not search.strip() and table.known_rows is not None:
        return table.known_rows
    request = StatisticsRequest("count", table, shape or table_shape(table), filter, search)
    if (found := _cached(request)) is not None:
        return int(found.value)
    if seen is not None:
        _cache(request, seen)
    return seen


def cached_estimate(
    table: Table,
    *,
    shape: TableShape,
    filter: Filter | None,  # noqa: A002
    search: str,
    compute: Callable[[], tuple[int, bool]],
) -> tuple[int, bool]:
    """Return the result of `compute`, an estimated row count: the same on all pages of one version."""
    request = StatisticsRequest("estimate", table, shape, filter, search)
    found = _cached(request)
    value, exact = compute() if found is None else found.value
    if found is None:
        _cache(request, [value, exact])
    return value, exact


def cached_choices(
    table: Table,
    *,
    shape: TableShape,
    columns: Sequence[ColumnSpec],
    filter: Filter | None = None,  # noqa: A002
    search: str = "",
    cached_only: bool = False,
) -> dict[str, dict[str, int]] | None:
    """Return the result of `choice_counts` for these columns; `cached_only`: None if it is not cached."""
    kind = "choices " + ",".join(sorted(column.id for column in columns))
    request = StatisticsRequest(kind, table, shape, filter, search)
    if (found := _cached(request)) is not None:
        return dict(found.value)
    if cached_only:
        return None
    value = choice_counts(table, columns=columns, filter=filter, search=search)
    _cache(request, value)
    return value


def cached_type_changes(table: Table, *, shape: TableShape | None = None) -> dict[str, Any]:
    """Return `{"rows_looked_at": n, "columns": …}` with the result of `losses_by_type`.

    Only the first 60 columns in the first 200 rows are examined.
    """
    request = StatisticsRequest("type_changes", table, shape or table_shape(table), None, "")
    if (found := _cached(request)) is not None:
        return dict(found.value)
    tried = replace(request.shape, columns=request.shape.columns[:TRIED_COLUMNS])
    rows = [row.data for row in read_rows(table, shape=tried, limit=TRIED_ROWS)]
    value = {"rows_looked_at": len(rows), "columns": losses_by_type(tried.columns, rows=rows)}
    _cache(request, value)
    return value


@dataclass(frozen=True)
class StatisticsRequest:
    """The statistics of a table that a reader requests, and their cache keys."""

    kind: str
    table: Table
    shape: TableShape
    filter: Filter | None
    search: str

    @property
    def filter_json(self) -> Any:
        """Return the filter with relative dates as those of today; None for no filter."""
        return self.filter.as_json(fixed=True) if self.filter else None

    @property
    def key(self) -> str:
        """Return a key that is the same for all versions of the table with the same columns."""
        columns = [[column.id, column.type, list(column.choices)] for column in self.shape.columns]
        return self._hash(columns)

    @property
    def state(self) -> str:
        """Return a key that is different for each version.

        It includes the time of the last change, because a transaction that failed may have used the version before.
        """
        return self._hash([self.table.version, self.table.updated_at.isoformat()])

    def _hash(self, of: Any) -> str:
        identity = [self.kind, self.table.pk, of, self.filter_json, " ".join(self.search.split())]
        return str(strictjson.content_hash(identity))


def _cached(request: StatisticsRequest) -> CachedValue | None:
    text = cache.get(f"tables.{request.state}")
    return None if text is None else CachedValue(strictjson.loads(text))


def _cache(request: StatisticsRequest, value: Any) -> bool:
    text = strictjson.dumps(value)
    if len(text) > MAX_CACHED_LENGTH:
        return False
    cache.set(f"tables.{request.state}", text, CACHE_SECONDS)
    return True


def _last(request: StatisticsRequest) -> CachedValue | None:
    """Return the last stored statistics; None if there are none, or their refresh has failed."""
    stored = CachedStatistics.objects.filter(pk=request.key).first()
    if stored is None:
        return None
    value = strictjson.loads(stored.figures)
    if stored.state == request.state:
        _cache(request, value)
        return CachedValue(value)
    now = timezone.now()
    if stored.requested_at is None or now - stored.requested_at > REFRESH_TIMEOUT:
        statistics_outdated.send_robust(sender=StatisticsRequest, key=stored.pk)
    if stored.requested_at is not None and now - stored.requested_at > REFRESH_TIMEOUT:
        return None
    return CachedValue(value, age=max(1, round((now - stored.computed_at).total_seconds())))
