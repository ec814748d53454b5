"""Counts what a person's turns take, where all processes see it."""
from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.db import connection

from chat.models import TokenUse
from statements import Statement, send

USES = TokenUse._meta.db_table
COUNT = f"""
    INSERT INTO {USES} (user_id, day, tokens) VALUES (%s, %s, %s)
    ON CONFLICT (user_id, day) DO UPDATE SET tokens = {USES}.tokens + excluded.tokens"""


def count_tokens(*, user_id: Any, tokens: int, now: datetime) -> None:
    """Adds tokens to what this person used on the day of `now` (UTC)."""
    send(*counting(user_id=user_id, tokens=tokens, now=now))


def counting(*, user_id: Any, tokens: int, now: datetime) -> tuple[Statement, ...]:
    """What is to be sent for that: nothing where there are none."""
    if tokens <= 0:
        return ()
    return (Statement(COUNT, [user_id, connection.ops.adapt_datefield_value(now.astimezone(UTC).date()), tokens]),)
