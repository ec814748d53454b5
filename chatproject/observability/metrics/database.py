"""Metrics that are read from the database and are the same in every process, those of workers included."""
from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import groupby

from django.apps import apps
from django.db import Error, connection, transaction
from django.utils import timezone
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from chat.selectors import chat_load
from chatproject.models import StoredCounter, WorkerHeartbeat
from chatproject.workers import DEAD_AFTER

log = logging.getLogger(__name__)

IMPORTS, ROWS = "tablechat_imports_everywhere_total", "tablechat_imported_rows_everywhere_total"
# By name: the label and the description.
STORED_COUNTERS = {
    IMPORTS: ("outcome", "Ended imports of all processes, by outcome: done, cancelled or an error code."),
    ROWS: ("kind", "Rows added or updated by imports of all processes."),
}
INCREMENT = f"""
    INSERT INTO {StoredCounter._meta.db_table} (name, label, value) VALUES (%s, %s, %s) ON CONFLICT (name, label)
    DO UPDATE SET value = {StoredCounter._meta.db_table}.value + excluded.value"""


class DatabaseCollector(Collector):
    """Reads the database at each scrape. If it is unavailable, only these metrics are missing."""

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        up = "tablechat_database_up", "Whether the database is available."
        try:
            now = timezone.now()
            chat, running = chat_load(now=now), _imports_running()
            waiting = DBTaskResult.objects.filter(status=TaskResultStatus.READY).count()
            workers = WorkerHeartbeat.objects.filter(heartbeat_at__gt=now - DEAD_AFTER).count()
            counters = list(StoredCounter.objects.order_by("name", "label"))
        except (Error, OSError):
            log.exception("could not read metrics from the database")
            yield GaugeMetricFamily(*up, value=0)
            return
        yield GaugeMetricFamily(*up, value=1)
        yield GaugeMetricFamily("tablechat_turns_running", "Running turns of all processes.", value=chat.turns)
        yield GaugeMetricFamily(
            "tablechat_streams_open_everywhere", "Open answer streams of all processes.", value=chat.streams
        )
        if running is not None:
            yield GaugeMetricFamily("tablechat_imports_running", "Running and queued imports.", value=running)
        yield GaugeMetricFamily("tablechat_tasks_waiting", "Queued background tasks.", value=waiting)
        yield GaugeMetricFamily("tablechat_workers", "Workers with a recent heartbeat.", value=workers)
        for name, found in groupby(counters, key=lambda counter: counter.name):
            label, description = STORED_COUNTERS[name]
            family = CounterMetricFamily(name, description, labels=(label,))
            for counter in found:
                family.add_metric((counter.label,), counter.value)
            yield family


def _imports_running() -> int | None:
    """Return the number of running and queued imports, None without the app `tables`."""
    if not apps.is_installed("tables"):
        return None
    from tables.selectors import imports_running

    return imports_running()


def _increment(name: str, label: str, amount: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(INCREMENT, [name, label, amount])


def _import_ended(*, outcome: str, added: int, updated: int, **_: object) -> None:
    def count() -> None:
        _increment(IMPORTS, outcome, 1)
        for label, rows in (("added", added), ("updated", updated)):
            if rows:
                _increment(ROWS, label, rows)

    transaction.on_commit(count, robust=True)


def connect() -> None:
    """Count the imports that end in this process, a server or a worker, from now on."""
    if apps.is_installed("tables"):
        from tables import signals

        signals.import_ended.connect(_import_ended, dispatch_uid="metrics of imports")
