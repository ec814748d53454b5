"""Counts what a person's turns take, where all processes see it."""
from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F

from chat.models import TokenUse


def count_tokens(*, user_id: Any, tokens: int, now: datetime) -> None:
    """Adds tokens to what this person used on the day of `now` (UTC)."""
    if tokens <= 0:
        return
    today = TokenUse.objects.filter(user_id=user_id, day=now.astimezone(UTC).date())
    if today.update(tokens=F("tokens") + tokens):
        return
    try:
        with transaction.atomic():
            TokenUse.objects.create(user_id=user_id, day=now.astimezone(UTC).date(), tokens=tokens)
    except IntegrityError:
        # The first call of the day ended in another process at this very moment.
        today.update(tokens=F("tokens") + tokens)
