"""The daily token budget of a user, counted in the database and checked before each model call."""
from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone

from chat.agent.model import ModelFailure
from chat.agent.transcript import CallRecord, Transcript
from chat.prompt import estimate_tokens
from chat.selectors import seconds_to_next_day, tokens_used
from chat.services import count_tokens
from chat.turns.database import in_database
from shared.user_messages import Message, declare, declare_plural

TOKENS_USED_UP = declare(
    "tokens_used_up",
    "Daily assistant limit reached ({count:,} tokens). It resets {wait}, at midnight UTC. "
    "You can still use the rest of the application.",
)
IN_HOURS = declare_plural("in_hours", "in 1 hour", "in {count} hours")
IN_MINUTES = declare_plural("in_minutes", "in 1 minute", "in {count} minutes")

Json = dict[str, Any]


class TokenBudget:
    """The daily budget of a turn's user. Each call of the transcript is counted once.

    With `free` (the demo model) no call is counted or refused.
    """

    def __init__(self, *, user_id: Any, transcript: Transcript, tokens_a_day: int, free: bool = False) -> None:
        self._free = free
        self._tokens_a_day = tokens_a_day
        self._user_id = user_id
        self._transcript = transcript
        self._counted = 0
        self._used: int | None = None
        self._prompt: tuple[Sequence[Json], ...] = ()

    async def allow(self) -> None:
        """Count the calls so far. Raises ModelFailure if the budget of the day is used up."""
        if self._free:
            return
        now = timezone.now()
        used, self._used = self._used, None
        if used is None:
            used = await in_database(self._count, now=now)
        self._refuse(used, now=now)

    def set_used_tokens(self, used: int, *, prompt: tuple[Sequence[Json], ...]) -> None:
        """Set the tokens used on this day, as read when the turn started; used for the first call.

        `prompt` is what each call sends before its messages: the system prompt and the declared tools.
        """
        self._used, self._prompt = used, prompt

    def uncounted(self, *, stopped: bool = False) -> int:
        """Return the tokens of calls not counted yet. `stopped`: the last call was cancelled."""
        if self._free:
            return 0
        calls = self._transcript.calls[self._counted :]
        return sum(tokens_of(call, prompt=self._prompt, stopped=stopped) for call in calls)

    def _count(self, *, now: datetime) -> int:
        """Count the calls so far and return the tokens used on this day."""
        count_tokens(user_id=self._user_id, tokens=self.uncounted(), now=now)
        self._counted = len(self._transcript.calls)
        return tokens_used(self._user_id, now=now)

    def _refuse(self, used: int, *, now: datetime) -> None:
        if used < self._tokens_a_day:
            return
        wait = seconds_to_next_day(now)
        raise ModelFailure(
            "budget_exhausted",
            reason="the day's tokens are used up",
            message=TOKENS_USED_UP(count=self._tokens_a_day, wait=_wait(wait)),
            retry_after=wait,
        )


def tokens_of(call: CallRecord, *, prompt: tuple[Sequence[Json], ...], stopped: bool = False) -> int:
    """Return the tokens of a call, as the provider reported them.

    What it did not report is estimated, for a call that was answered, in whole or in part, or that was `stopped` by the
    user. A call that failed before any text counts only what the provider reported.
    """
    sent, received = call.usage.get("input_tokens", 0), call.usage.get("output_tokens", 0)
    if call.stop_reason or stopped or call.first_token is not None:
        sent = sent or estimate_tokens([*map(list, prompt), list(call.messages)])
        if not call.stop_reason or not received:
            received = max(received, estimate_tokens(list(call.blocks) or call.text))
    return sent + received


def _wait(seconds: int) -> Message:
    if seconds >= 5400:
        return IN_HOURS(count=round(seconds / 3600))
    return IN_MINUTES(count=max(1, round(seconds / 60)))
