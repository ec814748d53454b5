"""How many streams a person has open, counted over all processes; the share of a process that died is given back."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import QuerySet

from chat.exceptions import TooMany
from chat.models import OpenStreams
from chat.selectors.identity import lock_person
from statements import Compiled, Question, Statement, ask, send
from user_messages import declare

TOO_MANY_ANSWERS = declare(
    "too_many_answers", "You have {count} answers open at the same time. Close a tab or wait for one."
)

LOST_AFTER = timedelta(seconds=30)
# By hand: they are sent with each stream that begins and ends.
STREAMS, PROCESS = OpenStreams._meta.db_table, OpenStreams._meta.get_field("process")
SAY = f"""
    INSERT INTO {STREAMS} (process, user_id, count, seen_at) VALUES (%s, %s, %s, %s)
    ON CONFLICT (user_id, process) DO UPDATE SET count = excluded.count, seen_at = excluded.seen_at"""


def take_place(*, process: UUID, user: Any, here: int, most: int, now: datetime) -> None:
    """Says that this process holds `here` streams of this person from now on.

    Raises TooMany when these and those of other processes are more than `most`.
    """
    with transaction.atomic():
        lock_person(user)
        refusal = ask(taking_place(process=process, user=user, here=here, most=most, now=now))
        if refusal is not None:
            raise refusal


def taking_place(*, process: UUID, user: Any, here: int, most: int, now: datetime) -> Question[TooMany | None]:
    """The same, to be asked in a transaction in which the person is locked, and which ends with the answer, if there is
    one."""
    statements = (
        ELSEWHERE.statement(user_id=user.pk, process=process, since=now - LOST_AFTER),
        _saying(process, user_id=user.pk, count=here, now=now),
    )

    def read(counts: list[tuple[Any, ...]], _: Any) -> TooMany | None:
        if here + sum(count for (count,) in counts) <= most:
            return None
        return TooMany(TOO_MANY_ANSWERS(count=most), extra={"retry_after": 5})

    return Question(statements, read)


def still_here(*, process: UUID, user_ids: Iterable[Any], now: datetime) -> dict[Any, int]:
    """Says that this process is there for these people; all that is said of it."""
    OpenStreams.objects.filter(process=process, user_id__in=list(user_ids)).update(seen_at=now)
    return dict(OpenStreams.objects.filter(process=process).values_list("user_id", "count"))


def keep_places(*, process: UUID, counts: Mapping[Any, int], now: datetime) -> None:
    """Says how many streams of these people this process holds open."""
    send(*(_saying(process, user_id=user_id, count=count, now=now) for user_id, count in counts.items()))


def forget_lost_places(*, now: datetime) -> None:
    """Clears up after processes that are gone."""
    OpenStreams.objects.filter(seen_at__lte=now - LOST_AFTER).delete()


def _saying(process: UUID, *, user_id: Any, count: int, now: datetime) -> Statement:
    """The statement that says it; whoever has none open is not named."""
    whose = [PROCESS.get_db_prep_value(process, connection), user_id]
    if not count:
        return Statement(f"DELETE FROM {STREAMS} WHERE process = %s AND user_id = %s", whose)
    return Statement(SAY, [*whose, count, connection.ops.adapt_datetimefield_value(now)])


def _elsewhere(*, user_id: Any, process: UUID, since: datetime) -> QuerySet[OpenStreams, tuple[Any, ...]]:
    others = OpenStreams.objects.filter(user_id=user_id, seen_at__gt=since).exclude(process=process)
    return others.order_by().values_list("count")


ELSEWHERE = Compiled(_elsewhere, user_id=int, process=UUID, since=datetime)
