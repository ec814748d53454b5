"""Delete fills, and discard what standing ones have found."""
from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction

from fills.models import Fill, Result
from fills.selectors import get_fill, results_of
from fills.services.announcements import mark_seen
from fills.services.news import announce
from fills.services.review_states import (
    CHANGED,
    DELETED,
    INVALID,
    OPEN,
    read_results,
    review_states,
    unchanged_cells,
)
from shared.user_messages import declare
from tables.exceptions import Conflict
from tables.selectors import Table, table_shape

FILL_RUNS = declare("fill_runs", "This fill is running. Stop it first.")
UPDATED_AT_A_TIME = 1_000
DISCARDED: dict[str, Any] = {
    "state": Result.State.DISCARDED, "values": {}, "hashes": {}, "corrections": {}, "confidence": "", "note": "",
    "sources": [], "is_unverified": False,
}  # fmt: skip


def delete_fill(*, user: Any, table_id: int, fill_id: UUID) -> None:
    """Delete a fill with its results; applied values stay. Raises Conflict while it runs.

    A standing fill remains; its results that are not applied are "discarded", so that their rows are up to date.
    """
    with transaction.atomic():
        fill, table = get_fill(user, table_id, fill_id=fill_id, can="manage", lock=True)
        if fill.state == Fill.State.RUNNING:
            raise Conflict(FILL_RUNS(), code="running")
        announce(fill)
        if hasattr(fill, "standing"):
            _discard_results(fill, table=table)
            mark_seen(user=fill.user, fill_id=fill.pk)
        else:
            fill.delete()


def _discard_results(fill: Fill, *, table: Table) -> None:
    """Forget what was found and is not applied, also if the apply was undone. The cells that were read remain."""
    found = read_results(results_of(fill, states=[Result.State.FOUND]), table=table)
    states = review_states(found, table=table, shape=table_shape(table), unchanged=unchanged_cells(found))
    discarded = [each.pk for each in found if states[each.row_id] in (OPEN, CHANGED, DELETED, INVALID)]
    for start in range(0, len(discarded), UPDATED_AT_A_TIME):
        Result.objects.filter(pk__in=discarded[start : start + UPDATED_AT_A_TIME]).update(**DISCARDED)
