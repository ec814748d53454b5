"""Background tasks of the whole project. Their paths are stored with enqueued tasks."""
from __future__ import annotations

from django.utils import timezone
from django_tasks import task

from chatproject.retention import delete_expired


@task()
def tidy_up() -> dict[str, int]:
    """Delete everything that has expired, and return the numbers of deleted objects."""
    return delete_expired(now=timezone.now())
