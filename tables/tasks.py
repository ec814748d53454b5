"""What tables leave to the workers: indexes for what is sorted and filtered by, statistics of large tables."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django_tasks import TaskResultStatus, task
from django_tasks_db.models import DBTaskResult

from tables import services, signals
from tables.operations.queries.filters import Filter
from tables.operations.queries.sorts import SortKey
from tables.selectors import Import, Table
from tables.selectors.statistics.cache import StatisticsRequest


@task()
def look_after_indexes() -> dict[str, int]:
    """Makes the indexes that are worth having and drops the others; how many of each."""
    report = services.update_cell_indexes()
    return {"made": len(report.created), "dropped": len(report.dropped), "kept": len(report.unchanged)}


@task()
def read_import(import_id: int, run: str) -> str:
    """Reads a file and has its rows written when all is decided; the state the import is left in."""
    return services.run_import(import_id=import_id, run=UUID(run))


@task()
def renew_figures(key: str) -> bool:
    """Computes kept statistics again; whether there was something to renew."""
    return services.refresh_statistics(key=key)


def start_import(*, user: Any, import_id: int, on_refused: str | None = None) -> Import:
    """Begins an import, or goes on with one that waited for a decision; a worker does the rest.

    Raises what `services.begin_import` raises.
    """
    with transaction.atomic():
        imported = services.begin_import(user=user, import_id=import_id, on_refused=on_refused)
        read_import.enqueue(imported.pk, str(imported.run))
    return imported


def record_column_use(
    table: Table,
    *,
    sort: Sequence[SortKey] = (),
    filter: Filter | None = None,  # noqa: A002
) -> None:
    """Remembers how a large table was read; a new way has the indexes looked after soon."""
    if services.record_column_use(table, sort=sort, filter=filter) and not _waits(look_after_indexes):
        look_after_indexes.enqueue()


def connect() -> None:
    """Statistics that readers compute are kept, and renewed where readers met old ones."""
    signals.figures_computed.connect(_keep_figures, dispatch_uid="tables.tasks.computed")
    signals.figures_outdated.connect(_ask_for_figures, dispatch_uid="tables.tasks.outdated")


def _keep_figures(sender: Any, *, request: StatisticsRequest, value: Any, **_: Any) -> None:
    services.store_statistics(request=request, value=value, now=timezone.now())


def _ask_for_figures(sender: Any, *, key: str, **_: Any) -> None:
    if services.request_statistics(key=key, now=timezone.now()):
        renew_figures.enqueue(key)


def _waits(wanted: Any) -> bool:
    return DBTaskResult.objects.filter(task_path=wanted.module_path, status=TaskResultStatus.READY).exists()
