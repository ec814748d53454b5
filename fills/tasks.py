"""Tasks of the workers: answer the rows of fills, in pieces, so that other tasks are not held up."""
from __future__ import annotations

from uuid import UUID

from asgiref.sync import async_to_sync
from django.conf import settings
from django.utils import timezone
from django_tasks import TaskResultStatus, task
from django_tasks_db.models import DBTaskResult

from chat.agent.clock import SystemClock
from fills.selectors import fills_to_work_on
from fills.services import apply_confident
from fills.worker import work

# Longer pieces would delay imports where one worker runs.
PIECE_SECONDS = 20.0
UNFINISHED = (TaskResultStatus.READY, TaskResultStatus.RUNNING)


@task()
def work_on_fill(fill_id: str, limit: int) -> str | None:
    """Answer rows of a fill for a while, and enqueue what is left. Return when it continues, None if it does not."""
    worked = async_to_sync(work)(
        UUID(fill_id), seconds=PIECE_SECONDS, clock=SystemClock(), now=timezone.now, limit=limit
    )
    if worked.is_answered:
        apply_confident(fill_id=UUID(fill_id), now=timezone.now())
    if worked.continue_at is None:
        return None
    later = work_on_fill.using(run_after=worked.continue_at) if worked.continue_at > timezone.now() else work_on_fill
    later.enqueue(fill_id, worked.limit)
    return worked.continue_at.isoformat()


@task()
def continue_fills() -> int:
    """Enqueue work for fills that no worker works on, such as those of killed ones. Return how many there were."""
    unfinished = DBTaskResult.objects.filter(task_path=work_on_fill.module_path, status__in=UNFINISHED)
    worked_on = {str(each["args"][0]) for each in unfinished.values_list("args_kwargs", flat=True)}
    lost = [fill_id for fill_id in fills_to_work_on() if str(fill_id) not in worked_on]
    for fill_id in lost:
        work_on_fill.enqueue(str(fill_id), settings.FILL_CONCURRENCY)
    return len(lost)


def start_work(fill_id: UUID) -> None:
    """Have workers answer the rows of a fill: `FILL_WORKERS` at the same time."""
    for _ in range(settings.FILL_WORKERS):
        work_on_fill.enqueue(str(fill_id), settings.FILL_CONCURRENCY)
