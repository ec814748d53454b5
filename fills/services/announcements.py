"""The end of fills, for logs and for receivers of `fills.signals.fill_ended`."""
from __future__ import annotations

import logging

from django.db import transaction

from fills.models import Fill
from fills.signals import fill_ended

log = logging.getLogger(__name__)


def announce_end(fill: Fill) -> None:
    """Log and announce after the commit that workers have ended with a fill, which is done, paused or failed."""
    state, notify = str(fill.state), fill.notify

    def announce() -> None:
        log.info(
            "fill %s of table %s: %s after %s calls and %s tokens",
            fill.pk, fill.table_id, state, fill.calls, fill.input_tokens + fill.output_tokens,
        )  # fmt: skip
        fill_ended.send_robust(sender=Fill, fill_id=fill.pk, state=state, notify=notify)

    transaction.on_commit(announce, robust=True)
