"""Results of checks of model servers."""
from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone


class ModelCheck(models.Model):
    """Features that a server supports or lacks for one model.

    `findings` are the results of the last check (`chat.turns.model_check`), empty before the first one. `lacks` are
    names of `chat.agent.client.server_features`, from the check and from turns since.
    """

    server = models.CharField(max_length=255)
    model = models.CharField(max_length=500)
    findings: models.JSONField[Any, Any] = models.JSONField(default=list)
    lacks: models.JSONField[Any, Any] = models.JSONField(default=list)
    checked_at = models.DateTimeField(null=True, blank=True)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "model"], name="one_check_per_model")]
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.model} at {self.server}"
