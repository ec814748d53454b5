"""Reads how much a person's turns have taken of the day."""
from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from chat.models import TokenUse
from statements import Compiled, Question, ask

USED = Compiled(lambda **whose: TokenUse.objects.filter(**whose).values_list("tokens"), user_id=int, day=date)


def tokens_used(user_id: Any, *, now: datetime) -> int:
    """The tokens of this person's turns on the day of `now` (UTC), of all processes."""
    return ask(tokens_question(user_id, now=now))


def tokens_question(user_id: Any, *, now: datetime) -> Question[int]:
    """What finds them, to be asked with others."""
    statement = USED.statement(user_id=user_id, day=now.astimezone(UTC).date())
    return Question((statement,), lambda found: int(found[0][0]) if found else 0)


def seconds_to_next_day(now: datetime) -> int:
    """How long until the day of `now` (UTC) is over, and a new one begins to count."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return max(1, int((today + timedelta(days=1) - now).total_seconds()))
