"""Payloads of turns, and runs of server actions."""
from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone
from django.utils.text import Truncator

from chat.models.conversations import Conversation, Message, Turn


class Payload(models.Model):
    """Structured data of a turn, among them proposals.

    `data` is from the model or a tool. `resolved` is the result of the proposal's `check` (operations with ids and
    previous values), set once when the payload is created. `outcome` is the result of applying it, `applied_as` the
    status it got then, to which a redo returns, and `undo_token` the argument of the type's `undo`.
    """

    class Status(models.TextChoices):
        SHOWN = "shown"
        PENDING = "pending"
        APPLIED = "applied"
        PARTIALLY_APPLIED = "partially_applied", "Partially applied"
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
    undo_token = models.TextField(blank=True)
    # The error in English, and as code and parameters.
    last_error = models.TextField(blank=True)
    last_error_coded: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        default_permissions = ()
        permissions = [("view_payload", "View payloads and proposals of users")]
        indexes = [models.Index(fields=["conversation", "created_at"], name="payloads_in_order")]

    def __str__(self) -> str:
        return Truncator(self.summary).chars(60) or self.type

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the payload, and with a new one its resolution."""
        adding = self._state.adding
        with transaction.atomic():
            super().save(*args, **kwargs)
            if adding and self.resolved is not None:
                self.resolution.save(force_insert=True)

    @property
    def resolved(self) -> Any:
        """The resolved operations of a proposal; None for other payloads."""
        resolution: Resolution | None = getattr(self, "resolution", None)
        return resolution.value if resolution else None

    @resolved.setter
    def resolved(self, value: Any) -> None:
        self.resolution = Resolution(payload=self, value=value)


class Resolution(models.Model):
    """The resolved operations of a proposal.

    They can be megabytes and never change, while the status of the payload does. SQLite rewrites a whole row on each
    update, so they are stored in a separate row.
    """

    payload = models.OneToOneField(Payload, primary_key=True, on_delete=models.CASCADE, related_name="resolution")
    value: models.JSONField[Any, Any] = models.JSONField()

    def __str__(self) -> str:
        return f"resolution of {self.payload_id}"


class Review(models.Model):
    """The user's stored review of a pending proposal.

    `decisions` are the unchecked operations and the edits. `lost` lists decisions that could not be carried over from
    the previous proposal, until the user closes the notice. A review is deleted when its proposal is applied or
    dismissed, or when it has been carried over to the proposal that supersedes it.
    """

    payload = models.OneToOneField(Payload, primary_key=True, on_delete=models.CASCADE, related_name="review")
    decisions: models.JSONField[Any, Any] = models.JSONField(default=dict)
    lost: models.JSONField[Any, Any] = models.JSONField(default=dict)
    revision = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"review of {self.payload_id}"


class ActionRun(models.Model):
    """A run of a server action, stored with its effect and reported to the model in the conversation's next turn.

    `message` is the sentence that the action returned, `answer` the data sent to the page's script.
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
        return f"{self.action}: {Truncator(self.message).chars(60)}"
