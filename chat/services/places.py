"""How many streams a person has open, counted over all processes; the share of a process that died is given back."""
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Sum

from chat.exceptions import TooMany
from chat.models import OpenStreams
from chat.selectors.identity import lock_person

LOST_AFTER = timedelta(seconds=30)


def take_place(*, process: UUID, user: Any, here: int, most: int, now: datetime) -> None:
    """Says that this process holds `here` streams of this person from now on.

    Raises TooMany when these and those of other processes are more than `most`.
    """
    with transaction.atomic():
        lock_person(user)
        others = OpenStreams.objects.filter(user=user, seen_at__gt=now - LOST_AFTER).exclude(process=process)
        elsewhere = others.aggregate(sum=Sum("count"))["sum"] or 0
        if here + elsewhere > most:
            raise TooMany(
                f"You have {most} answers open at the same time. Close a tab or wait for one.",
                extra={"retry_after": 5},
            )
        _say(process, {user.pk: here}, now=now)


def keep_places(*, process: UUID, counts: Mapping[Any, int], now: datetime) -> None:
    """Says how many streams of these people this process holds open: all it has, or those that have changed."""
    with transaction.atomic():
        gone = [user_id for user_id, count in counts.items() if not count]
        if gone:
            OpenStreams.objects.filter(process=process, user_id__in=gone).delete()
        _say(process, {user_id: count for user_id, count in counts.items() if count}, now=now)


def forget_lost_places(*, now: datetime) -> None:
    """Clears up after processes that are gone."""
    OpenStreams.objects.filter(seen_at__lte=now - LOST_AFTER).delete()


def _say(process: UUID, counts: Mapping[Any, int], *, now: datetime) -> None:
    OpenStreams.objects.bulk_create(
        [OpenStreams(process=process, user_id=user, count=count, seen_at=now) for user, count in counts.items()],
        update_conflicts=True,
        unique_fields=["user", "process"],
        update_fields=["count", "seen_at"],
    )
