"""Statistics of large tables that are stored in the database and refreshed by workers."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils import timezone

from shared import strictjson
from tables.exceptions import TablesError
from tables.models import CachedStatistics
from tables.operations.queries.filters import parse_filter
from tables.selectors.statistics.cache import LARGE, MAX_CACHED_LENGTH, REFRESH_TIMEOUT, StatisticsRequest
from tables.selectors.statistics.columns import column_stats
from tables.selectors.tables import table_shape


def store_statistics(*, request: StatisticsRequest, value: Any, now: datetime) -> None:
    """Replace the stored statistics by newly computed ones."""
    fresh = {"state": request.state, "figures": strictjson.dumps(value), "computed_at": now, "requested_at": None}
    identity = {"table_id": request.table.pk, "filter": request.filter_json, "search": request.search}
    CachedStatistics.objects.update_or_create(pk=request.key, defaults=fresh, create_defaults={**identity, **fresh})


def request_statistics(*, key: str, now: datetime) -> bool:
    """Record that newer statistics are needed; return False if a recent request exists."""
    wanted = Q(requested_at=None) | Q(requested_at__lt=now - REFRESH_TIMEOUT)
    return bool(CachedStatistics.objects.filter(wanted, pk=key).update(requested_at=now))


def refresh_statistics(*, key: str) -> bool:
    """Compute stored statistics again for the current table; False if there is nothing to refresh."""
    stored = CachedStatistics.objects.select_related("table").filter(pk=key, table__deleted_at=None).first()
    if stored is None:
        return False
    shape = table_shape(stored.table)
    try:
        stored_filter = parse_filter(stored.filter, shape=shape, today=timezone.now().date()) if stored.filter else None
    except TablesError:
        stored_filter = None
    request = StatisticsRequest("stats", stored.table, shape, stored_filter, stored.search)
    # With other columns the key is another one, and this one is no longer requested.
    if request.key == key:
        try:
            value = column_stats(stored.table, shape=shape, filter=stored_filter, search=stored.search)
        except TablesError:
            # The table has grown so much that the filter now costs too much.
            value = {"row_count": 0}
        if value["row_count"] > LARGE and len(strictjson.dumps(value)) <= MAX_CACHED_LENGTH:
            store_statistics(request=request, value=value, now=timezone.now())
            return True
    stored.delete()
    return False
