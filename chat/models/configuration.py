"""What administrators changed of the code's entries: the fields in force, and every change there was."""
from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

import strictjson


class AnyJson(models.JSONField[Any, Any]):
    """JSON that somebody may have written by SQL: whatever a database takes for JSON can be read. What Python cannot
    read, or nobody could be shown, is None or has U+FFFD in it."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        try:
            return strictjson.storable(super().from_db_value(value, expression, connection))
        except (ValueError, RecursionError):
            # Numbers of thousands of digits; lists within lists without end.
            return None

    def deconstruct(self) -> Any:
        # The column is any JSONField's.
        name, _, arguments, named = super().deconstruct()
        return name, "django.db.models.JSONField", arguments, named


class Configuration(models.Model):
    """One row: how many changes there have been. Processes read it to know whether what they hold is current; `stamp`
    is new with each change, for a database can be taken back to an earlier version."""

    version = models.PositiveIntegerField(default=0)
    stamp = models.UUIDField(default=uuid.uuid4)

    def __str__(self) -> str:
        return f"version {self.version}"


class Override(models.Model):
    """One field of one entry with another value than the code's. `base` is the default it was written against: where
    the code has gone on since, whoever looks is told."""

    kind = models.CharField(max_length=32)
    name = models.CharField(max_length=200)
    field = models.CharField(max_length=64)
    value = AnyJson(null=True)
    base = AnyJson(null=True)
    updated_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "name", "field"], name="one_override_a_field")]
        verbose_name = verbose_name_plural = "the assistant"
        permissions = [
            ("tune_assistant", "Can change what the assistant is told and may do"),
            ("view_any_table", "Can preview prompts with other people's tables"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}: {self.field}"


class ConfigurationChange(models.Model):
    """One field that was changed: `before` and `after` are `{"value": …}`, null where the code's default stood."""

    version = models.PositiveIntegerField(db_index=True)
    kind = models.CharField(max_length=32)
    name = models.CharField(max_length=200)
    field = models.CharField(max_length=64)
    before = AnyJson(null=True)
    after = AnyJson(null=True)
    why = models.CharField(max_length=500, blank=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["kind", "name", "-version"], name="changes_of_an_entry")]

    def __str__(self) -> str:
        return f"{self.version}: {self.kind} {self.name}, {self.field}"
