"""Models of accounts beside Django's users: profiles, API tokens, stored responses, call counts."""
from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models


class ApiToken(models.Model):
    """A token with which a program acts as a user, stored as a hash. Deleting it revokes it."""

    class Scope(models.TextChoices):
        READ = "read"
        WRITE = "write"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scope = models.CharField(max_length=5, choices=Scope.choices)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        default_permissions = ()
        permissions = [
            ("view_apitoken", "View API tokens of users"),
            ("delete_apitoken", "Revoke API tokens of users"),
        ]
        verbose_name = "API token"

    def __str__(self) -> str:
        return self.name


class Profile(models.Model):
    """Settings of a user. Empty fields mean the default; a user without settings has no profile."""

    class Theme(models.TextChoices):
        SYSTEM = "system"
        LIGHT = "light"
        DARK = "dark"

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="profile")
    name = models.CharField(max_length=150, blank=True)
    theme = models.CharField(max_length=6, choices=Theme.choices, default=Theme.SYSTEM)
    time_zone = models.CharField(max_length=64, blank=True)
    locale = models.CharField(max_length=35, blank=True)
    language = models.CharField(max_length=10, blank=True)

    def __str__(self) -> str:
        return self.name or f"profile {self.pk}"


class ClosedAccount(models.Model):
    """A user who has deleted the account, whose data is deleted by the next clean-up."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="closed_account"
    )
    closed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"closed account {self.user_id}"


class StoredResponse(models.Model):
    """The response to a request with an `Idempotency-Key`, stored for 24 hours in the transaction of its effect.

    `created_id` is the id of the created object if the response had a secret; then the body is not stored.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="stored_responses")
    key = models.CharField(max_length=255)
    request_digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    headers: models.JSONField[Any, Any] = models.JSONField(default=dict)
    body = models.TextField(blank=True)
    created_id = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="one_response_per_key")]
        indexes = [models.Index(fields=["created_at"], name="responses_by_age")]

    def __str__(self) -> str:
        return self.key


class RequestCount(models.Model):
    """Calls of a user, a token or an address in a minute (minutes since 1970)."""

    key = models.CharField(primary_key=True, max_length=64)
    minute = models.BigIntegerField(db_index=True)
    calls = models.BigIntegerField()

    def __str__(self) -> str:
        return self.key
