"""Usage that is limited for each user: open streams, and tokens by day (UTC)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import QuerySet

from chat.exceptions import TooMany
from chat.models import OpenStreamCount, TokenUse
from chat.selectors.access import lock_user
from chat.selectors.usage import STREAM_TIMEOUT
from shared.db import CompiledQuery, Query, Statement, run_query, run_statements
from shared.user_messages import declare

TOO_MANY_ANSWERS = declare(
    "too_many_answers", "You already have {count} answers running. Close a tab, or wait for one to finish."
)

# Plain SQL, because it is sent for each stream that starts or ends.
STREAMS, PROCESS = OpenStreamCount._meta.db_table, OpenStreamCount._meta.get_field("process")
STORE_COUNT = f"""
    INSERT INTO {STREAMS} (process, user_id, count, seen_at) VALUES (%s, %s, %s, %s)
    ON CONFLICT (user_id, process) DO UPDATE SET count = excluded.count, seen_at = excluded.seen_at"""
TOKEN_USES = TokenUse._meta.db_table
ADD_TOKENS = f"""
    INSERT INTO {TOKEN_USES} (user_id, day, tokens) VALUES (%s, %s, %s)
    ON CONFLICT (user_id, day) DO UPDATE SET tokens = {TOKEN_USES}.tokens + excluded.tokens"""


def take_stream_slot(*, process: UUID, user: Any, count: int, limit: int, now: datetime) -> None:
    """Store that this process has `count` open streams of this user.

    Raises TooMany if these and those of other processes are more than `limit`.
    """
    with transaction.atomic():
        lock_user(user)
        refusal = run_query(take_stream_slot_query(process=process, user=user, count=count, limit=limit, now=now))
        if refusal is not None:
            raise refusal


def take_stream_slot_query(
    *, process: UUID, user: Any, count: int, limit: int, now: datetime
) -> Query[TooMany | None]:
    """Return the query of `take_stream_slot`, for a transaction in which the user is locked.

    If its result is an error, the transaction must be rolled back.
    """
    statements = (
        OTHER_PROCESSES.statement(user_id=user.pk, process=process, since=now - STREAM_TIMEOUT),
        _store_count_statement(process, user_id=user.pk, count=count, now=now),
    )

    def read(counts: list[tuple[Any, ...]], _: Any) -> TooMany | None:
        if count + sum(count for (count,) in counts) <= limit:
            return None
        return TooMany(TOO_MANY_ANSWERS(count=limit), extra={"retry_after": 5})

    return Query(statements, read)


def refresh_stream_slots(*, process: UUID, user_ids: Iterable[Any], now: datetime) -> dict[Any, int]:
    """Refresh the counts of this process for these users, and return all its counts by user id."""
    OpenStreamCount.objects.filter(process=process, user_id__in=list(user_ids)).update(seen_at=now)
    return dict(OpenStreamCount.objects.filter(process=process).values_list("user_id", "count"))


def set_stream_slots(*, process: UUID, counts: Mapping[Any, int], now: datetime) -> None:
    """Store how many streams of these users this process has open."""
    run_statements(
        *(_store_count_statement(process, user_id=user_id, count=count, now=now) for user_id, count in counts.items())
    )


def release_stale_stream_slots(*, now: datetime) -> None:
    """Delete the counts of processes that no longer exist."""
    OpenStreamCount.objects.filter(seen_at__lte=now - STREAM_TIMEOUT).delete()


def _store_count_statement(process: UUID, *, user_id: Any, count: int, now: datetime) -> Statement:
    """Return the statement that stores a count; a user without streams has no row."""
    key = [PROCESS.get_db_prep_value(process, connection), user_id]
    if not count:
        return Statement(f"DELETE FROM {STREAMS} WHERE process = %s AND user_id = %s", key)
    return Statement(STORE_COUNT, [*key, count, connection.ops.adapt_datetimefield_value(now)])


def _other_processes(*, user_id: Any, process: UUID, since: datetime) -> QuerySet[OpenStreamCount, tuple[Any, ...]]:
    others = OpenStreamCount.objects.filter(user_id=user_id, seen_at__gt=since).exclude(process=process)
    return others.order_by().values_list("count")


def count_tokens(*, user_id: Any, tokens: int, now: datetime) -> None:
    """Add tokens to the user's count for the day of `now`."""
    run_statements(*count_tokens_statements(user_id=user_id, tokens=tokens, now=now))


def count_tokens_statements(*, user_id: Any, tokens: int, now: datetime) -> tuple[Statement, ...]:
    """Return the statements of `count_tokens`; none if there are no tokens."""
    if tokens <= 0:
        return ()
    return (Statement(ADD_TOKENS, [user_id, connection.ops.adapt_datefield_value(now.astimezone(UTC).date()), tokens]),)


OTHER_PROCESSES = CompiledQuery(_other_processes, user_id=int, process=UUID, since=datetime)
