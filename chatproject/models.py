"""Models for background work: due times of periodic work; heartbeats of workers, their counters and messages."""
from __future__ import annotations

from typing import Any

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


class SocketMessage(models.Model):
    """A message of a worker for the sockets of a group, which servers read where there is no Redis.

    `key` is a hash of the group and the message: the same message again only changes `sent_at`.
    """

    key = models.CharField(primary_key=True, max_length=64)
    group = models.CharField(max_length=100)
    message: models.JSONField[Any, Any] = models.JSONField()
    sent_at = models.DateTimeField(db_index=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.group
