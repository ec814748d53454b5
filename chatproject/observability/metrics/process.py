"""Metrics of the database connections and the memory limit of this process, read at each scrape."""
from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector


class ProcessLimitsCollector(Collector):
    """How much of its limits this process uses. `process_resident_memory_bytes` is the memory that it uses."""

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics. Those of connections are missing with SQLite, which has no limit."""
        yield GaugeMetricFamily(
            "tablechat_memory_limit_bytes",
            "MEMORY_MAX_MB, above which large bodies are refused.",
            value=settings.MEMORY_MAX_MB * 1024 * 1024,
        )
        pool = getattr(connections[DEFAULT_DB_ALIAS], "pool", None)
        if pool is None:
            return
        stats = pool.get_stats()
        size, free = stats.get("pool_size", 0), stats.get("pool_available", 0)
        family = GaugeMetricFamily(
            "tablechat_database_connections", "Connections to PostgreSQL of this process.", labels=("state",)
        )
        family.add_metric(("used",), size - free)
        family.add_metric(("idle",), free)
        yield family
        yield GaugeMetricFamily(
            "tablechat_database_connections_max", "DATABASE_CONNECTIONS of this process.", value=stats["pool_max"]
        )
        yield GaugeMetricFamily(
            "tablechat_database_connections_waiting",
            "Threads of this process that wait for a connection.",
            value=stats.get("requests_waiting", 0),
        )
