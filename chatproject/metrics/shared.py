"""What stands in the database and is said alike by every process: how things are, and what workers have done."""
from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import groupby

from django.db import Error, connection, transaction
from django.utils import timezone
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from chat.selectors import chat_load
from chatproject.models import StoredCounter, WorkerHeartbeat
from chatproject.workers import SILENT_AFTER
from tables import signals
from tables.selectors import imports_running

log = logging.getLogger(__name__)

IMPORTS, ROWS = "tablechat_imports_everywhere_total", "tablechat_imported_rows_everywhere_total"
# Name, label, and what it says.
TALLIES = {
    IMPORTS: ("outcome", "Imports that ended, in all processes, by what came of them: done, cancelled or a code."),
    ROWS: ("kind", "Rows that imports have written, in all processes: added or updated."),
}
COUNT = f"""
    INSERT INTO {StoredCounter._meta.db_table} (name, label, value) VALUES (%s, %s, %s) ON CONFLICT (name, label)
    DO UPDATE SET value = {StoredCounter._meta.db_table}.value + excluded.value"""


class SharedCollector(Collector):
    """Reads the database at each scrape; a database that does not answer leaves out its own numbers alone."""

    def collect(self) -> Iterator[Metric]:
        """The families of samples."""
        up = "tablechat_database_up", "Whether the database answers."
        try:
            now = timezone.now()
            chat, running = chat_load(now=now), imports_running()
            waiting = DBTaskResult.objects.filter(status=TaskResultStatus.READY).count()
            workers = WorkerHeartbeat.objects.filter(heartbeat_at__gt=now - SILENT_AFTER).count()
            counters = list(StoredCounter.objects.order_by("name", "label"))
        except (Error, OSError):
            log.exception("the database did not answer /metrics")
            yield GaugeMetricFamily(*up, value=0)
            return
        yield GaugeMetricFamily(*up, value=1)
        yield GaugeMetricFamily("tablechat_turns_running", "Turns that run, in all processes.", value=chat.turns)
        yield GaugeMetricFamily(
            "tablechat_streams_open_everywhere", "Open streams of answers, in all processes.", value=chat.streams
        )
        yield GaugeMetricFamily("tablechat_imports_running", "Imports that run or wait for a worker.", value=running)
        yield GaugeMetricFamily("tablechat_tasks_waiting", "Background tasks that wait for a worker.", value=waiting)
        yield GaugeMetricFamily("tablechat_workers", "Workers that gave a sign of life of late.", value=workers)
        for name, found in groupby(counters, key=lambda counter: counter.name):
            label, says = TALLIES[name]
            family = CounterMetricFamily(name, says, labels=(label,))
            for counter in found:
                family.add_metric((counter.label,), counter.value)
            yield family


def _count(name: str, label: str, amount: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(COUNT, [name, label, amount])


def _import_ended(*, outcome: str, added: int, updated: int, **_: object) -> None:
    def count() -> None:
        _count(IMPORTS, outcome, 1)
        for label, rows in (("added", added), ("updated", updated)):
            if rows:
                _count(ROWS, label, rows)

    transaction.on_commit(count, robust=True)


def connect() -> None:
    """From now on imports that end in this process, a worker or a server, are counted."""
    signals.import_ended.connect(_import_ended, dispatch_uid="metrics of imports")
