"""Counts of the tokens that users' turns have used, by day (UTC)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.db import connection

from chat.models import TokenUse
from shared.db import Statement, run_statements

USES = TokenUse._meta.db_table
COUNT = f"""
    INSERT INTO {USES} (user_id, day, tokens) VALUES (%s, %s, %s)
    ON CONFLICT (user_id, day) DO UPDATE SET tokens = {USES}.tokens + excluded.tokens"""


def count_tokens(*, user_id: Any, tokens: int, now: datetime) -> None:
    """Add tokens to the user's count for the day of `now`."""
    run_statements(*count_tokens_statements(user_id=user_id, tokens=tokens, now=now))


def count_tokens_statements(*, user_id: Any, tokens: int, now: datetime) -> tuple[Statement, ...]:
    """Return the statements of `count_tokens`; none if there are no tokens."""
    if tokens <= 0:
        return ()
    return (Statement(COUNT, [user_id, connection.ops.adapt_datefield_value(now.astimezone(UTC).date()), tokens]),)
