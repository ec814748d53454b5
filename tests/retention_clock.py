"""Run the deletion of expired data as if days had passed."""
from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from chatproject.retention import delete_expired


def later(**duration: float) -> datetime:
    """Return the moment `days=…`, `hours=…` from now."""
    return timezone.now() + timedelta(**duration)


def tidy_after(**duration: float) -> dict[str, int]:
    """Delete what will have expired in `days=…`, `hours=…`, without pauses."""
    return delete_expired(now=later(**duration), pause=lambda seconds: None)
