"""Work in the background that is about the whole project."""
from __future__ import annotations

from django.utils import timezone
from django_tasks import task

from chatproject.retention import tidy


@task()
def tidy_up() -> dict[str, int]:
    """Lets go of what has had its time; how many of each kind."""
    return tidy(now=timezone.now())
