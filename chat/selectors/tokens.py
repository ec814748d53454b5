"""Tokens that a user's turns have used on a day (UTC)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from chat.models import TokenUse
from shared.db import CompiledQuery, Query, run_query

TOKENS_USED = CompiledQuery(lambda **key: TokenUse.objects.filter(**key).values_list("tokens"), user_id=int, day=date)


def tokens_used(user_id: Any, *, now: datetime) -> int:
    """Return the tokens that the user's turns have used on the day of `now` in all processes."""
    return run_query(tokens_used_query(user_id, now=now))


def tokens_used_query(user_id: Any, *, now: datetime) -> Query[int]:
    """Return the query of `tokens_used`."""
    statement = TOKENS_USED.statement(user_id=user_id, day=now.astimezone(UTC).date())
    return Query((statement,), lambda found: int(found[0][0]) if found else 0)


def seconds_to_next_day(now: datetime) -> int:
    """Return the seconds until the day of `now` ends, at least 1."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return max(1, int((today + timedelta(days=1) - now).total_seconds()))
