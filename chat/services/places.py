"""How many streams a person has open, counted over all processes; the share of a process that died is given back."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from chat.exceptions import TooMany
from chat.models import OpenStreams
from chat.selectors.compiled import Compiled
from chat.selectors.identity import lock_person

LOST_AFTER = timedelta(seconds=30)


def take_place(*, process: UUID, user: Any, here: int, most: int, now: datetime) -> None:
    """Says that this process holds `here` streams of this person from now on.

    Raises TooMany when these and those of other processes are more than `most`.
    """
    with transaction.atomic():
        lock_person(user)
        take_place_locked(process=process, user=user, here=here, most=most, now=now)


def take_place_locked(*, process: UUID, user: Any, here: int, most: int, now: datetime) -> None:
    """The same, to be called in a transaction in which the person is locked."""
    elsewhere = sum(count for (count,) in ELSEWHERE.rows(user_id=user.pk, process=process, since=now - LOST_AFTER))
    if here + elsewhere > most:
        raise TooMany(
            f"You have {most} answers open at the same time. Close a tab or wait for one.",
            extra={"retry_after": 5},
        )
    _say(process, {user.pk: here}, now=now)


def still_here(*, process: UUID, user_ids: Iterable[Any], now: datetime) -> dict[Any, int]:
    """Says that this process is there for these people; all that is said of it."""
    OpenStreams.objects.filter(process=process, user_id__in=list(user_ids)).update(seen_at=now)
    return dict(OpenStreams.objects.filter(process=process).values_list("user_id", "count"))


def keep_places(*, process: UUID, counts: Mapping[Any, int], now: datetime) -> None:
    """Says how many streams of these people this process holds open."""
    gone = [user_id for user_id, count in counts.items() if not count]
    if gone:
        OpenStreams.objects.filter(process=process, user_id__in=gone).delete()
    if len(gone) < len(counts):
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


def _elsewhere(*, user_id: Any, process: UUID, since: datetime) -> QuerySet[OpenStreams, tuple[Any, ...]]:
    others = OpenStreams.objects.filter(user_id=user_id, seen_at__gt=since).exclude(process=process)
    return others.order_by().values_list("count")


ELSEWHERE = Compiled(_elsewhere, user_id=int, process=UUID, since=datetime)
