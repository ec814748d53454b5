"""Tasks of the workers: answer the rows of fills, in pieces, so that other tasks are not held up."""
from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID

from asgiref.sync import async_to_sync
from django.conf import settings
from django.utils import timezone
from django_tasks import TaskResultStatus, task
from django_tasks_db.models import DBTaskResult

from chat.agent.clock import SystemClock
from fills.batch_worker import end_deleted_batches, work_on_batches
from fills.selectors import deleted_batches, fills_to_work_on, open_batches, standing_fills_to_check
from fills.services import apply_confident, run_due
from fills.services.standing_runs import WAIT
from fills.worker import work

# Longer pieces would delay imports where one worker runs.
PIECE_SECONDS = 20.0
LATE = timedelta(minutes=1)
UNFINISHED = (TaskResultStatus.READY, TaskResultStatus.RUNNING)


@task()
def work_on_fill(fill_id: str, limit: int) -> str | None:
    """Answer rows of a fill for a while, and enqueue what is left. Return when it continues, None if it does not."""
    check_at = async_to_sync(work_on_batches)(UUID(fill_id), clock=SystemClock(), now=timezone.now)
    worked = async_to_sync(work)(
        UUID(fill_id), seconds=PIECE_SECONDS, clock=SystemClock(), now=timezone.now, limit=limit
    )
    if worked.is_answered:
        apply_confident(fill_id=UUID(fill_id), now=timezone.now())
    continue_at = min((each for each in (worked.continue_at, check_at) if each is not None), default=None)
    # One task is enough to check batches, and each run or resume starts some.
    if continue_at is None or (worked.continue_at is None and _waits(fill_id)):
        return None
    later = work_on_fill.using(run_after=continue_at) if continue_at > timezone.now() else work_on_fill
    later.enqueue(fill_id, worked.limit)
    return continue_at.isoformat()


def _waits(fill_id: str) -> bool:
    """Return whether another task of a fill is enqueued."""
    tasks = DBTaskResult.objects.filter(task_path=work_on_fill.module_path, status=TaskResultStatus.READY)
    return any(each["args"][0] == fill_id for each in tasks.values_list("args_kwargs", flat=True))


@task()
def continue_fills() -> int:
    """Enqueue work for fills that no worker works on, such as those of killed ones. Return how many there were."""
    unfinished = DBTaskResult.objects.filter(task_path=work_on_fill.module_path, status__in=UNFINISHED)
    worked_on = {str(each["args"][0]) for each in unfinished.values_list("args_kwargs", flat=True)}
    lost = [fill_id for fill_id in fills_to_work_on() if str(fill_id) not in worked_on]
    for fill_id in lost:
        work_on_fill.enqueue(str(fill_id), settings.FILL_CONCURRENCY)
    if deleted_batches():
        end_batches_of_deleted_fills.enqueue()
    # Runs of standing fills whose task was lost.
    for fill_id in standing_fills_to_check(now=timezone.now() - LATE):
        run_standing_fill.enqueue(str(fill_id))
    return len(lost)


@task()
def end_batches_of_deleted_fills() -> int:
    """Have the provider end batches whose fills were deleted. Return how many there were."""
    return async_to_sync(end_deleted_batches)(clock=SystemClock())


@task()
def run_standing_fill(fill_id: str) -> bool:
    """Run an automatic standing fill for the rows that have changed; return whether there are any."""
    is_started = run_due(UUID(fill_id), now=timezone.now())
    if is_started:
        start_work(UUID(fill_id))
    return is_started


def enqueue_runs(fill_ids: Iterable[UUID]) -> None:
    """Enqueue automatic runs, which wait for more rows."""
    for fill_id in fill_ids:
        run_standing_fill.using(run_after=timezone.now() + WAIT).enqueue(str(fill_id))


def start_work(fill_id: UUID) -> None:
    """Have workers answer the rows of a fill: `FILL_WORKERS` at the same time."""
    for _ in range(settings.FILL_WORKERS):
        work_on_fill.enqueue(str(fill_id), settings.FILL_CONCURRENCY)


def end_batches(fill_id: UUID) -> None:
    """Have a worker cancel the batches of a fill at the provider."""
    if open_batches([fill_id]):
        work_on_fill.enqueue(str(fill_id), settings.FILL_CONCURRENCY)
