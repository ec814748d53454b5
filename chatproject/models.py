"""Models for background work: due times of periodic work, heartbeats of workers, their counters."""
from __future__ import annotations

from django.db import models


class Schedule(models.Model):
    """The next due time of periodic work. The process that updates it enqueues the work."""

    name = models.CharField(primary_key=True, max_length=64)
    due_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class WorkerHeartbeat(models.Model):
    """The last heartbeat of a worker. Another worker takes over the tasks of one that is silent."""

    worker_id = models.CharField(primary_key=True, max_length=64)
    heartbeat_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.worker_id


class StoredCounter(models.Model):
    """A counter of a worker, in the database because workers serve no metrics."""

    name = models.CharField(max_length=64)
    label = models.CharField(max_length=64)
    value = models.BigIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["name", "label"], name="one_counter_per_name_and_label"),)

    def __str__(self) -> str:
        return f"{self.name} {self.label}"
