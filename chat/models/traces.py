"""How turns came about, and how many tokens they took."""
from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from chat.models.conversations import Turn


class Trace(models.Model):
    """How a turn came about, for those who look after the assistant; `chat.selectors.traces` reads it.

    `data` holds what was asked of the model and what came back, call by call; texts are named by the hash of their
    TraceText, tool inputs and outputs stand in the turn's message.
    """

    turn = models.OneToOneField(Turn, primary_key=True, on_delete=models.CASCADE, related_name="trace")
    data: models.JSONField[Any, Any] = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return f"trace of turn {self.turn_id}"


class TraceText(models.Model):
    """A text that models were sent or gave, kept once however many turns name it; gone 30 days after the last did.

    `user` is whose it is; empty for what is the same for everybody (prompts, descriptions of tools).
    """

    hash = models.CharField(max_length=32, primary_key=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+")
    text = models.TextField()
    used_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.text[:60]


class TokenUse(models.Model):
    """How many tokens a person's turns took on a day (UTC)."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="token_uses")
    day = models.DateField()
    tokens = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "day"], name="one_token_use_a_day")]
        verbose_name = verbose_name_plural = "tokens by day"

    def __str__(self) -> str:
        return f"{self.tokens} tokens on {self.day}"
