"""Tasks of the workers: imports, indexes on cells, statistics of large tables."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.core.files import File
from django.db import transaction
from django.utils import timezone
from django_tasks import TaskResultStatus, task
from django_tasks_db.models import DBTaskResult

from tables import services, signals
from tables.operations.queries.filters import Filter
from tables.operations.queries.sorts import SortKey
from tables.selectors import Import, Table, TableFile
from tables.selectors.statistics.cache import StatisticsRequest


@task()
def maintain_indexes() -> dict[str, int]:
    """Create useful indexes on cells and drop the others. Return how many were created, dropped and unchanged."""
    report = services.update_cell_indexes()
    return {"created": len(report.created), "dropped": len(report.dropped), "unchanged": len(report.unchanged)}


@task()
def read_import(import_id: int, run: str) -> str:
    """Read a file and, if nothing is left to decide, write its rows. Return the new state of the import."""
    state = services.run_import(import_id=import_id, run=UUID(run))
    if state == Import.State.DONE:
        for key in services.imported_pictures(import_id):
            create_thumbnail.enqueue(key)
    return state


@task()
def create_thumbnail(content_key: str) -> bool:
    """Create the thumbnail of an uploaded picture. Return whether it could be read."""
    return services.create_thumbnail(content_key)


@task()
def refresh_stored_statistics(key: str) -> bool:
    """Compute stored statistics again. Return whether they were outdated."""
    return services.refresh_statistics(key=key)


def start_import(
    *, user: Any, import_id: int, on_refused: str | None = None, table_version: int | None = None
) -> Import:
    """Start an import, or continue one after a decision, in a worker. Raises the errors of `services.begin_import`."""
    with transaction.atomic():
        imported = services.begin_import(
            user=user, import_id=import_id, on_refused=on_refused, table_version=table_version
        )
        read_import.enqueue(imported.pk, str(imported.run))
    return imported


def upload_file(*, user: Any, table_id: int, name: str, content: File[Any]) -> TableFile:
    """Store a file of a table, and have a worker create its thumbnail. Raises the errors of `services.upload_file`."""
    file = services.upload_file(user=user, table_id=table_id, name=name, content=content)
    if services.has_thumbnail(file.content):
        create_thumbnail.enqueue(file.content_id)
    return file


def record_column_use(
    table: Table,
    *,
    sort: Sequence[SortKey] = (),
    filter: Filter | None = None,  # noqa: A002
    search: str = "",
) -> None:
    """Record how a large table was read. A new sort or filter column, or search, enqueues a check of the indexes."""
    is_due = services.record_column_use(table, sort=sort, filter=filter, search=search)
    if is_due and not _is_enqueued(maintain_indexes):
        # If SQLite is locked now, the periodic task creates the index within an hour.
        with services.skip_if_locked():
            maintain_indexes.enqueue()


def connect() -> None:
    """Store statistics that a request computed, and renew those that a request found outdated."""
    signals.statistics_computed.connect(_store_statistics, dispatch_uid="tables.tasks.computed")
    signals.statistics_outdated.connect(_enqueue_renewal, dispatch_uid="tables.tasks.outdated")


def _store_statistics(sender: Any, *, request: StatisticsRequest, value: Any, **_: Any) -> None:
    services.store_statistics(request=request, value=value, now=timezone.now())


def _enqueue_renewal(sender: Any, *, key: str, **_: Any) -> None:
    if services.request_statistics(key=key, now=timezone.now()):
        refresh_stored_statistics.enqueue(key)


def _is_enqueued(wanted: Any) -> bool:
    return DBTaskResult.objects.filter(task_path=wanted.module_path, status=TaskResultStatus.READY).exists()
