"""Metrics that are read from the database and are the same in every process, those of workers included."""
from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from threading import Lock
from typing import NamedTuple

from django.apps import apps
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from chat.selectors import chat_load
from chatproject.models import StoredCounter
from chatproject.workers import task_queue
from shared.db import call_and_close
from shared.db.time_limits import time_limit

log = logging.getLogger(__name__)

TURNS, STREAMS = "tablechat_turns_running", "tablechat_streams_open_everywhere"
IMPORTS_RUNNING, TASKS, WORKERS = "tablechat_imports_running", "tablechat_tasks_waiting", "tablechat_workers"
FILLS_RUNNING = "tablechat_fills_running"
FILL_CALLS, FILL_RESULTS = "tablechat_fill_calls_total", "tablechat_fill_results_total"
FILL_TOKENS, FILLS = "tablechat_fill_tokens_total", "tablechat_fills_ended_total"
WAIT_SECONDS = "tablechat_tasks_oldest_wait_seconds"
CHANGES = "tablechat_table_changes_total"
IMPORTS, ROWS = "tablechat_imports_everywhere_total", "tablechat_imported_rows_everywhere_total"
# By name: the label and the description.
STORED_COUNTERS = {
    IMPORTS: ("outcome", "Ended imports of all processes, by outcome: done, cancelled or an error code."),
    CHANGES: ("source", "Changes of tables by this server process, and by all workers, such as imports."),
    ROWS: ("kind", "Rows added or updated by imports of all processes."),
    FILLS: ("state", "Fills with which workers have ended, by state: done, paused or failed."),
    FILL_CALLS: ("sources", "Calls of models by fills, by their sources: row or web."),
    FILL_RESULTS: ("state", "Rows that fills have answered, by state: found, empty or failed."),
    FILL_TOKENS: ("kind", "Tokens of fills: input, output and cached input."),
}
# Label values that have a sample from the start, so that alerts see the first increase. Other error codes follow it.
LABEL_VALUES = {
    IMPORTS: ("done", "cancelled", "internal", "no_rows", "refused_cells", "too_many_refused", "too_many_rows"),
    CHANGES: ("worker",),
    ROWS: ("added", "updated"),
    FILLS: ("done", "paused", "failed"),
    FILL_CALLS: ("row", "web"),
    FILL_RESULTS: ("found", "empty", "failed"),
    FILL_TOKENS: ("in", "out", "cached"),
}
INCREMENT = f"""
    INSERT INTO {StoredCounter._meta.db_table} (name, label, value) VALUES (%s, %s, %s) ON CONFLICT (name, label)
    DO UPDATE SET value = {StoredCounter._meta.db_table}.value + excluded.value"""


class Figures(NamedTuple):
    """Metrics that one function reads, and their names."""

    names: tuple[str, ...]
    read: Callable[[datetime], Iterable[Metric]]


class Reading(Collector):
    """One reading of the database in a thread. Collects what has been read so far, and which metrics are missing."""

    def __init__(self, figures: Sequence[Figures]) -> None:
        self.figures = figures
        self._read: list[list[Metric]] = []
        self._failed = False
        self.ended: Future[None] = Future()

    def run(self) -> None:
        """Read all figures. Errors are logged."""
        try:
            with time_limit(settings.DATABASE_READ_SECONDS, lock_seconds=settings.DATABASE_LOCK_SECONDS):
                for figures in self.figures:
                    self._read.append(list(figures.read(timezone.now())))
        except Exception:
            self._failed = True
            log.exception("could not read metrics from the database")
        finally:
            self.ended.set_result(None)

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        read = self._read[:]
        is_up = not self._failed and (self.ended.done() or bool(read))
        yield GaugeMetricFamily("tablechat_database_up", "Whether the database is available.", value=is_up)
        for metrics in read:
            yield from metrics
        missing = [name for figures in self.figures[len(read) :] for name in figures.names]
        if missing:
            family = GaugeMetricFamily(
                "tablechat_metric_missing", "Metrics that could not be read in time.", labels=("metric",)
            )
            for name in missing:
                family.add_metric((name,), 1)
            yield family


class Reader:
    """Reads the database in one thread. Scrapes during a reading share it, so that they take one connection."""

    def __init__(self, figures: Sequence[Figures]) -> None:
        self.figures = figures
        self.executor = ThreadPoolExecutor(1, thread_name_prefix="metrics")
        self._lock = Lock()
        self._reading: Reading | None = None

    def start(self) -> Reading:
        """Return the running reading, or start one."""
        with self._lock:
            if self._reading is None or self._reading.ended.done():
                self._reading = Reading(self.figures)
                self.executor.submit(call_and_close, self._reading.run)
            return self._reading


def _read_chat(now: datetime) -> Iterator[Metric]:
    chat = chat_load(now=now)
    yield GaugeMetricFamily(TURNS, "Running turns of all processes.", value=chat.turns)
    yield GaugeMetricFamily(STREAMS, "Open answer streams of all processes.", value=chat.streams)


def _read_imports(now: datetime) -> Iterator[Metric]:
    running = _imports_running()
    if running is not None:
        yield GaugeMetricFamily(IMPORTS_RUNNING, "Running and queued imports.", value=running)


def _read_tasks(now: datetime) -> Iterator[Metric]:
    queue = task_queue(now=now)
    seconds = max(0.0, (now - queue.oldest).total_seconds()) if queue.oldest else 0
    yield GaugeMetricFamily(TASKS, "Background tasks that wait for a worker.", value=queue.waiting)
    yield GaugeMetricFamily(WAIT_SECONDS, "Seconds since the oldest waiting task was enqueued.", value=seconds)
    yield GaugeMetricFamily(WORKERS, "Workers with a recent heartbeat.", value=queue.workers)


def _read_counters(now: datetime) -> Iterator[Metric]:
    if not apps.is_installed("tables"):
        return
    values = {name: dict.fromkeys(labels, 0) for name, labels in LABEL_VALUES.items()}
    for counter in StoredCounter.objects.filter(name__in=STORED_COUNTERS).order_by("name", "label"):
        values[counter.name][counter.label] = counter.value
    for name, (label, description) in STORED_COUNTERS.items():
        family = CounterMetricFamily(name, description, labels=(label,))
        for label_value, value in values[name].items():
            family.add_metric((label_value,), value)
        yield family


def _imports_running() -> int | None:
    """Return the number of running and queued imports, None without the app `tables`."""
    if not apps.is_installed("tables"):
        return None
    from tables.selectors import imports_running

    return imports_running()


def _read_fills(now: datetime) -> Iterator[Metric]:
    if apps.is_installed("fills"):
        from fills.selectors import fills_running

        yield GaugeMetricFamily(FILLS_RUNNING, "Running fills.", value=fills_running())


READER = Reader((
    Figures((TURNS, STREAMS), _read_chat),
    Figures((IMPORTS_RUNNING,), _read_imports),
    Figures((FILLS_RUNNING,), _read_fills),
    Figures((TASKS, WAIT_SECONDS, WORKERS), _read_tasks),
    Figures(tuple(STORED_COUNTERS), _read_counters),
))  # fmt: skip


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


def _fill_work_done(
    *, sources: str, calls: int, tokens: Mapping[str, int], results: Mapping[str, int], **_: object
) -> None:
    for name, counts in ((FILL_CALLS, {sources: calls}), (FILL_TOKENS, tokens), (FILL_RESULTS, results)):
        for label, count in counts.items():
            if count:
                _increment(name, label, count)


def _fill_ended(*, state: str, **_: object) -> None:
    _increment(FILLS, state, 1)


def _worker_changed_table(**_: object) -> None:
    _increment(CHANGES, "worker", 1)


@contextmanager
def worker_changes_counted() -> Iterator[None]:
    """Count the changes that this worker makes to tables. Servers count their own in memory."""
    if not apps.is_installed("tables"):
        yield
        return
    from tables import signals

    signals.change_made.connect(_worker_changed_table, dispatch_uid="metrics of changes by workers")
    try:
        yield
    finally:
        signals.change_made.disconnect(dispatch_uid="metrics of changes by workers")


def connect() -> None:
    """Count the imports that end in this process, a server or a worker, and its work on fills, from now on."""
    if apps.is_installed("tables"):
        from tables import signals

        signals.import_ended.connect(_import_ended, dispatch_uid="metrics of imports")
    if apps.is_installed("fills"):
        from fills import signals as fills_signals

        fills_signals.work_done.connect(_fill_work_done, dispatch_uid="metrics of fills")
        fills_signals.fill_ended.connect(_fill_ended, dispatch_uid="metrics of ended fills")
