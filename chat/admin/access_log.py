"""Who looked at what somebody else said or made: written down each time, where the looker cannot take it away."""
from __future__ import annotations

import logging
from typing import Any

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from django.http import HttpRequest

import strictjson

log = logging.getLogger(__name__)


def record_access(request: HttpRequest, looked_at: Model, *, whose: Any) -> None:
    """One line in the log, and one entry among the admin's own. `whose`: the person it is about."""
    kind = looked_at._meta.model_name
    said = {"by": request.user.get_username(), "kind": kind, "id": str(looked_at.pk), "of": str(whose)}
    log.info("opened in the admin %s", strictjson.dump(said))
    LogEntry.objects.create(
        user_id=str(request.user.pk),
        content_type=ContentType.objects.get_for_model(looked_at),
        object_id=str(looked_at.pk),
        object_repr=str(looked_at)[:200],
        action_flag=CHANGE,
        change_message=f"Opened it; it is {whose}'s."[:500],
    )
