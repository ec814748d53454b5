"""Payloads of turns, and server actions that were run."""
from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone

from chat.models.conversations import Conversation, Message, Turn


class Payload(models.Model):
    """Structured data of a turn. `data` is what the model or tool gave; `resolved` is what a proposal's type made
    of it (operations with ids and before-values), given once, when the payload is made; `outcome` is what came of
    applying it, `applied_as` the status that had (a redo of an undone one goes back to it)."""

    class Status(models.TextChoices):
        SHOWN = "shown"
        PENDING = "pending"
        APPLIED = "applied"
        PARTIALLY_APPLIED = "partially_applied"
        DISMISSED = "dismissed"
        SUPERSEDED = "superseded"
        UNDONE = "undone"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="payloads")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="payloads")
    turn = models.ForeignKey(Turn, null=True, on_delete=models.SET_NULL, related_name="payloads")
    message = models.ForeignKey(Message, null=True, on_delete=models.SET_NULL, related_name="payloads")
    type = models.CharField(max_length=64)
    source = models.CharField(max_length=8)
    subject_id = models.CharField(max_length=64, blank=True)
    data: models.JSONField[Any, Any] = models.JSONField()
    status = models.CharField(max_length=24, choices=Status.choices, default=Status.SHOWN)
    summary = models.TextField(blank=True)
    counts: models.JSONField[Any, Any] = models.JSONField(default=dict)
    content_hash = models.CharField(max_length=64, blank=True)
    outcome: models.JSONField[Any, Any] = models.JSONField(default=dict)
    applied_as = models.CharField(max_length=24, blank=True)
    # In English, and as code and parameters.
    last_error = models.TextField(blank=True)
    last_error_coded: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["conversation", "created_at"], name="payloads_in_order")]

    def __str__(self) -> str:
        return f"{self.type}: {self.summary[:60]}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Stores a new payload together with its resolution."""
        adding = self._state.adding
        with transaction.atomic():
            super().save(*args, **kwargs)
            if adding and self.resolved is not None:
                self.resolution.save(force_insert=True)

    @property
    def resolved(self) -> Any:
        """What the proposal comes to; None for what is no proposal."""
        resolution: Resolution | None = getattr(self, "resolution", None)
        return resolution.value if resolution else None

    @resolved.setter
    def resolved(self, value: Any) -> None:
        self.resolution = Resolution(payload=self, value=value)


class Resolution(models.Model):
    """What a proposal was resolved to. It has a row of its own because it can be megabytes and never changes: SQLite
    writes a whole row anew whenever a word of it changes, and the status of a proposal does."""

    payload = models.OneToOneField(Payload, primary_key=True, on_delete=models.CASCADE, related_name="resolution")
    value: models.JSONField[Any, Any] = models.JSONField()

    def __str__(self) -> str:
        return f"resolution of {self.payload_id}"


class Review(models.Model):
    """The stored review of a pending proposal by its person: `decisions` are the unchecked operations and the edits,
    `lost` what could not be carried over from the proposal before it, until the person has closed the notice.

    It is deleted when the proposal is answered. That of a superseded proposal is deleted once it is carried over.
    """

    payload = models.OneToOneField(Payload, primary_key=True, on_delete=models.CASCADE, related_name="review")
    decisions: models.JSONField[Any, Any] = models.JSONField(default=dict)
    lost: models.JSONField[Any, Any] = models.JSONField(default=dict)
    revision = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"review of {self.payload_id}"


class ActionRun(models.Model):
    """A server action that was run: stored with its effect, and told to the assistant in the conversation's next turn.

    `message` is the sentence that came of it, `answer` what the page's script was given.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="action_runs")
    conversation = models.ForeignKey(
        Conversation, null=True, blank=True, on_delete=models.CASCADE, related_name="action_runs"
    )
    action = models.CharField(max_length=64)
    data: models.JSONField[Any, Any] = models.JSONField(default=dict)
    message = models.TextField(blank=True)
    answer: models.JSONField[Any, Any] = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["conversation", "created_at"], name="action_runs_in_order")]

    def __str__(self) -> str:
        return f"{self.action}: {self.message[:60]}"
