"""What the database keeps for work in the background: when periodic work is due, and which workers live."""
from __future__ import annotations

from django.db import models


class Schedule(models.Model):
    """When a piece of periodic work is due next; whoever moves this on enqueues it."""

    name = models.CharField(primary_key=True, max_length=64)
    due_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class WorkerBeat(models.Model):
    """The last sign of life of a worker; what a silent one was at is taken up by another."""

    worker_id = models.CharField(primary_key=True, max_length=64)
    beat_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.worker_id


class Tally(models.Model):
    """A number that only grows, for what workers do: they have no page where somebody could read it."""

    name = models.CharField(max_length=64)
    label = models.CharField(max_length=64)
    value = models.BigIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["name", "label"], name="one_tally_a_name_and_label"),)

    def __str__(self) -> str:
        return f"{self.name} {self.label}"
