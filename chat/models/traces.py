"""Traces of turns, and token counts."""
from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from chat.models.conversations import Turn


class Trace(models.Model):
    """Requests and responses of a turn's model calls, for administrators; `chat.selectors.inspection` reads it.

    `data` names texts by the hash of their TraceText. Tool inputs and outputs are in the turn's message.
    """

    turn = models.OneToOneField(Turn, primary_key=True, on_delete=models.CASCADE, related_name="trace")
    data: models.JSONField[Any, Any] = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        default_permissions = ()
        permissions = [("view_trace", "View traces: of own answers, or of all if conversations may be read")]

    def __str__(self) -> str:
        return f"trace of turn {self.turn_id}"


class TraceText(models.Model):
    """A text sent to or by a model, stored once for all turns that use it and deleted 30 days after the last use.

    `user` is the owner; null for texts that are the same for all users (prompts, descriptions of tools).
    """

    hash = models.CharField(max_length=32, primary_key=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+")
    text = models.TextField()
    used_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.text[:60]


class TokenUse(models.Model):
    """Number of tokens that a user's turns used on one day (UTC)."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="token_uses")
    day = models.DateField()
    tokens = models.BigIntegerField(default=0)

    class Meta:
        default_permissions = ()
        permissions = [("view_tokenuse", "View how many tokens users have used")]
        constraints = [models.UniqueConstraint(fields=["user", "day"], name="one_token_use_per_day")]
        verbose_name = verbose_name_plural = "token use"

    def __str__(self) -> str:
        return f"{self.tokens} tokens on {self.day}"
