"""Rows that get no answer from the model: several in a row pause a fill, and one without any answer has failed."""
from __future__ import annotations

from typing import Any

from django.db.models import Max, Q

from fills.models import Fill, Result
from shared.user_messages import Message, declare

State = Result.State
# Further calls for a row after errors that may pass, and after refusals for lack of capacity.
MAX_ATTEMPTS, MAX_REFUSALS = 2, 30
# So many rows that fail one after the other, without an answer between them, pause a fill.
MAX_UNANSWERED = 5
UNANSWERED = Q(state=State.FAILED) & (Q(attempts__gt=MAX_ATTEMPTS) | Q(refusals__gt=MAX_REFUSALS))
NOT_ANSWERED = declare(
    "fill_rows_not_answered", "{count:,} rows in a row got no answer. Resume when the model works again. {error}"
)
ALL_FAILED = declare("fill_all_failed", "No row could be answered. {error}")
ASKED_AGAIN: dict[str, Any] = {"state": State.WAITING, "attempts": 0, "refusals": 0, "error": None, "finished_at": None}


def keep_unanswered_rows(fill: Fill) -> Message | None:
    """If the last MAX_UNANSWERED rows got no answer, have them wait again, and return why the fill is to be paused."""
    answered = fill.results.exclude(UNANSWERED).aggregate(last=Max("finished_at"))["last"]
    since = Q(finished_at__gt=answered) if answered else Q()
    rows = fill.results.filter(UNANSWERED, since)
    errors = list(rows.order_by("finished_at", "position").values_list("error", flat=True))
    if len(errors) < MAX_UNANSWERED:
        return None
    rows.update(**ASKED_AGAIN)
    return NOT_ANSWERED(count=len(errors), error=Message.from_json(errors[-1]))


def failure_of_all(fill: Fill) -> Message | None:
    """Return why a fill has failed if all of its rows have, None otherwise."""
    last = fill.results.order_by("-finished_at", "-position").first()
    if last is None or not last.error or fill.results.exclude(state=State.FAILED).exists():
        return None
    return ALL_FAILED(error=Message.from_json(last.error))
