"""Overrides of the entries declared in code, the history of all changes to them, and unsaved drafts."""
from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from shared import strictjson


class AnyJson(models.JSONField[Any, Any]):
    """JSON that may have been written by SQL, so any value that the database accepts as JSON can be read.

    A value that Python cannot parse is read as None; characters that cannot be displayed are replaced by U+FFFD.
    """

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        try:
            return strictjson.replace_unstorable(super().from_db_value(value, expression, connection))
        except (ValueError, RecursionError):
            # Numbers with thousands of digits, or lists nested too deeply.
            return None

    def deconstruct(self) -> Any:
        # The database column is that of a JSONField, so migrations need not know this class.
        name, _, arguments, named = super().deconstruct()
        return name, "django.db.models.JSONField", arguments, named


class Configuration(models.Model):
    """The current version of the configuration, in a single row.

    Processes compare it with the version they have cached. `stamp` changes with each version as well, because a
    restored backup can repeat version numbers.
    """

    version = models.PositiveIntegerField(default=0)
    stamp = models.UUIDField(default=uuid.uuid4)

    def __str__(self) -> str:
        return f"version {self.version}"


class Override(models.Model):
    """The value of one field of one entry that replaces the default from code.

    `base` is the default at the time of the change; if the default differs from it now, the admin shows this.
    """

    kind = models.CharField(max_length=32)
    name = models.CharField(max_length=200)
    field = models.CharField(max_length=64)
    value = AnyJson(null=True)
    base = AnyJson(null=True)
    updated_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "name", "field"], name="one_override_per_field")]
        verbose_name = verbose_name_plural = "assistant configuration"
        default_permissions = ()
        permissions = [
            ("tune_assistant", "Change the configuration of the assistant, preview and try it"),
            ("view_any_table", "Preview and try the assistant with the tables of other users"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}: {self.field}"


class ConfigurationChange(models.Model):
    """A change to one field: `before` and `after` are `{"value": …}`, or null for the default from code."""

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


class ConfigurationDraft(models.Model):
    """Unsaved input of an administrator in the form of an entry or of a stored test; `name` is "" for a new one.

    A user has at most one draft of an entry that is not discarded. Discarded ones can be restored for some days.
    `form` maps names of form fields to lists of strings. `revision` counts the stored states, so that two browser tabs
    do not overwrite each other. `token` identifies the form, so that saving another one does not delete the draft.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=32)
    name = models.CharField(max_length=200, blank=True)
    form = AnyJson(default=dict)
    revision = models.PositiveIntegerField(default=0)
    token = models.CharField(max_length=36)
    updated_at = models.DateTimeField(default=timezone.now)
    discarded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "kind", "name"],
                condition=models.Q(discarded_at=None),
                name="one_draft_per_user_and_entry",
            )
        ]
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.kind} {self.name or 'new'} of {self.user_id}"
