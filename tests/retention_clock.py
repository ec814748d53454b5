"""Time that passes at once: what is kept for days is let go of as if those days were over."""
from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from chatproject.retention import tidy


def later(**how_much: float) -> datetime:
    """The moment that comes `days=…`, `hours=…` from now."""
    return timezone.now() + timedelta(**how_much)


def tidy_after(**how_much: float) -> dict[str, int]:
    """Lets everything go as it would in `days=…`, `hours=…`, without breathing in between."""
    return tidy(now=later(**how_much), pause=lambda seconds: None)
