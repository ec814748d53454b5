"""Conversations, messages, turns with their events and tool calls, and open streams."""
from __future__ import annotations

import re
import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.text import Truncator

from shared import strictjson

MAX_SEARCHED = 4_000
CARD = re.compile(r"\[\[tool:\d+\]\]")


class ExchangeSize(models.PositiveIntegerField[Any, Any]):
    """Size of a message's exchange as JSON in bytes, computed when all fields of the message are saved."""

    def pre_save(self, model_instance: models.Model, add: bool) -> int:
        size = strictjson.byte_size(model_instance.exchange)  # type: ignore[attr-defined]  # only messages have it
        setattr(model_instance, self.attname, size)
        return size


class SearchText(models.TextField[Any, Any]):
    """Casefolded start of a message's text for the search, computed when all fields of the message are saved."""

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        found = search_text(model_instance.text)  # type: ignore[attr-defined]  # only messages have it
        setattr(model_instance, self.attname, found)
        return found


def search_text(text: str) -> str:
    """Return the first 4,000 characters of a text, casefolded and without tool cards.

    Python folds the case because databases differ in how they do it.
    """
    return CARD.sub(" ", text)[:MAX_SEARCHED].casefold()


class Conversation(models.Model):
    """A user's conversation on one page and, if the page has one, about one object (`object_id`, else "").

    `sandbox` marks a conversation in which a draft of the configuration was tried. It is not listed, only trials
    continue it, and it is deleted a day after its start.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="conversations")
    page = models.CharField(max_length=64)
    object_id = models.CharField(max_length=64, blank=True)
    title = models.CharField(max_length=255, blank=True)
    tip = models.ForeignKey("Message", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    sandbox = models.BooleanField(default=False, editable=False)

    class Meta:
        default_permissions = ()
        permissions = [("view_conversation", "Read conversations of users")]
        indexes = [
            models.Index(fields=["user", "page", "object_id", "-updated_at"], name="conversations_by_scope"),
            models.Index(fields=["-updated_at"], name="conversations_latest_first"),
            models.Index(
                fields=["deleted_at"], name="conversations_deleted", condition=models.Q(deleted_at__isnull=False)
            ),
            models.Index(fields=["created_at"], name="conversations_tried", condition=models.Q(sandbox=True)),
        ]

    def __str__(self) -> str:
        return self.title or str(self.id)


class Turn(models.Model):
    """The processing of one user message, from its start to its single final event.

    `user_message` is the message that the turn answers; a retry is another turn with the same message.
    `heartbeat_at` is updated by the process that runs the turn. `events_cleared` means that the turn has ended and
    only its final event is still stored.
    """

    class State(models.TextChoices):
        RUNNING = "running"
        COMPLETE = "complete"
        ERROR = "error"
        CANCELLED = "cancelled"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="turns")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="turns")
    client_turn_id = models.UUIDField()
    state = models.CharField(max_length=16, choices=State.choices, default=State.RUNNING)
    user_message = models.ForeignKey("Message", null=True, on_delete=models.CASCADE, related_name="answering_turns")
    page = models.CharField(max_length=64)
    # Name of the model that answers; "" for turns that are older than this field.
    model = models.CharField(max_length=500, blank=True)
    tab = models.CharField(max_length=64, blank=True, default="", db_default="")
    # Version of the configuration; 0 means the defaults from code.
    configuration = models.PositiveIntegerField(default=0, db_default=0)
    context: models.JSONField[Any, Any] = models.JSONField(default=dict)
    error_code = models.CharField(max_length=64, blank=True)
    # The error in English, and as code and parameters (null for turns that are older than message codes). The
    # fields of messages below are such pairs as well.
    error_message = models.TextField(blank=True)
    error_coded: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)
    error_retryable = models.BooleanField(default=False)
    usage: models.JSONField[Any, Any] = models.JSONField(default=dict)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField()
    started_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)
    events_cleared = models.BooleanField(default=False, editable=False)
    # Number of dropped parts of the model's answer. The trace lists them, but is deleted earlier.
    dropped = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        default_permissions = ()
        permissions = [("view_turn", "View turns of users: state, errors, tokens and cost")]
        constraints = [
            models.UniqueConstraint(fields=["user", "client_turn_id"], name="one_turn_per_client_turn_id"),
            models.UniqueConstraint(
                fields=["conversation"], condition=models.Q(state="running"), name="one_running_turn_per_conversation"
            ),
        ]
        indexes = [
            models.Index(fields=["user", "-started_at"], name="turns_by_user"),
            models.Index(fields=["started_at"], name="turns_by_age"),
            # For the filters of conversations in the admin.
            models.Index(fields=["page", "conversation"], name="turns_by_page"),
            models.Index(fields=["tab", "page", "conversation"], name="turns_by_tab"),
            models.Index(fields=["configuration", "conversation"], name="turns_by_version"),
            models.Index(fields=["user"], name="running_turns_by_user", condition=models.Q(state="running")),
            models.Index(
                fields=["ended_at"], name="turns_with_all_events", condition=models.Q(events_cleared=False)
            ),
        ]

    def __str__(self) -> str:
        return f"turn {self.id} ({self.state})"


class Message(models.Model):
    """A message of the user or of the assistant.

    `text` is shown to the user. `exchange` is the list of API messages that the message represents: one user message,
    or for the assistant the alternating assistant and tool result messages of its turn. `notes` are for the model and
    explain which parts of its answer were not shown. `unreadable` is the source of a proposal that could not be parsed.
    `files` are those that the user has added, as `ChatFile.as_json` has them; null for none.
    """

    class Role(models.TextChoices):
        USER = "user"
        ASSISTANT = "assistant"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="messages")
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="children")
    turn = models.ForeignKey(Turn, null=True, blank=True, on_delete=models.SET_NULL, related_name="messages")
    role = models.CharField(max_length=16, choices=Role.choices)
    text = models.TextField(blank=True)
    exchange: models.JSONField[Any, Any] = models.JSONField(default=list)
    # The history is cut to size by this field, without loading the exchanges.
    exchange_bytes = ExchangeSize(default=0, editable=False)
    search_text = SearchText(default="", editable=False)
    files: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)
    suggested_values: models.JSONField[Any, Any] = models.JSONField(default=list)
    suggested_actions: models.JSONField[Any, Any] = models.JSONField(default=list)
    tool_history: models.JSONField[Any, Any] = models.JSONField(default=list)
    interaction_type = models.CharField(max_length=32, default="text_input")
    # Code and parameters of the application's message at the end of the text.
    closing: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)
    warning = models.TextField(blank=True)
    warning_coded: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)
    unreadable = models.TextField(blank=True)
    notes: models.JSONField[Any, Any] = models.JSONField(default=list)
    # Version of the configuration that produced an assistant message; 0 means the defaults from code.
    configuration = models.PositiveIntegerField(default=0)
    # Not auto_now_add, because imported messages have their own time.
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["conversation", "created_at"], name="messages_in_order")]

    def __str__(self) -> str:
        return f"{self.role}: {Truncator(self.text).chars(60)}"


class TurnEvent(models.Model):
    """A stream event of a turn; `seq` counts from 1."""

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveIntegerField()
    data: models.JSONField[Any, Any] = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["turn", "seq"], name="turn_events_in_order")]
        ordering = ["seq"]

    def __str__(self) -> str:
        return f"event {self.seq}"


class ToolCall(models.Model):
    """A call of a writing tool, stored in the transaction of its effect, so that it survives a crash of the turn.

    `index` counts the writing calls of the turn from 0; `undo` identifies the change for an undo.
    """

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="tool_calls")
    index = models.PositiveIntegerField()
    tool = models.CharField(max_length=64)
    input: models.JSONField[Any, Any] = models.JSONField(default=dict)
    output = models.TextField(blank=True)
    undo: models.JSONField[Any, Any] = models.JSONField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["turn", "index"], name="tool_calls_in_order")]
        ordering = ["index"]

    def __str__(self) -> str:
        return f"{self.tool} ({self.index})"


class OpenStreamCount(models.Model):
    """Number of open streams of a user in one process; it expires when the process stops updating `seen_at`."""

    process = models.UUIDField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    count = models.PositiveIntegerField()
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "process"], name="one_stream_count_per_process")]
        verbose_name_plural = "open streams"

    def __str__(self) -> str:
        return f"{self.count} in {self.process}"
