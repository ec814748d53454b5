"""The end of fills: in the log, for receivers of `fills.signals.fill_ended`, and as a notice to the user."""
from __future__ import annotations

import logging
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from chat.services.notifications import notify_notices_changed
from fills.models import Fill
from fills.selectors import UNFINISHED
from fills.signals import fill_ended
from shared.user_messages import Message

log = logging.getLogger(__name__)


def mark_seen(*, user: Any, fill_id: UUID) -> int | None:
    """Remove the notice of a fill of this user; return the id of its table, None if there is no such fill."""
    fills = Fill.objects.filter(pk=fill_id, user=user)
    if fills.filter(is_unseen=True).update(is_unseen=False):
        notify_notices_changed(user_id=user.pk)
    return fills.values_list("table_id", flat=True).first()


def announce_end(fill: Fill) -> None:
    """Log and announce after the commit that workers have ended with a fill, which is done, paused or failed.

    Its user gets a notice.
    """
    fill.is_unseen = True
    Fill.objects.filter(pk=fill.pk).update(is_unseen=True)
    notify_notices_changed(user_id=fill.user_id)
    state, notify = str(fill.state), fill.notify

    def announce() -> None:
        log.info(
            "fill %s of table %s: %s after %s calls and %s tokens",
            fill.pk, fill.table_id, state, fill.calls, fill.input_tokens + fill.output_tokens,
        )  # fmt: skip
        fill_ended.send_robust(sender=Fill, fill_id=fill.pk, state=state, notify=notify)

    transaction.on_commit(announce, robust=True)


def end_fill(fill: Fill, *, state: str, reason: Message | None = None, now: datetime) -> None:
    """Set the state of a fill that workers end with. A draft remains one, and rows that it tries are forgotten."""
    if fill.state == Fill.State.DRAFT:
        fill.results.filter(state__in=UNFINISHED).delete()
    else:
        fill.state = state
        fill.ended_at = None if state == Fill.State.PAUSED else now
        announce_end(fill)
    fill.reason = reason.as_json() if reason else None
    fill.save(update_fields=["state", "reason", "ended_at", "updated_at"])
