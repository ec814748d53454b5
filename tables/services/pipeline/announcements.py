"""Signals about committed changes, sent after the commit."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from tables.models import Change, Table
from tables.operations.changes.delta import Delta
from tables.signals import access_changed, change_made

# Maximum number of listed rows. If there are more, receivers read the whole table again.
MAX_ROWS = 500
MANY = "many"


def announce_change(change: Change, delta: Delta, *, others: Sequence[int] = (), moved: bool = False) -> None:
    """Send `change_made` after the commit. `others` are written rows that are not in the delta.

    `moved`: rows have new positions, so that it is not enough to read the changed rows again.
    """
    ids = [*(entry[0] for entry in delta.rows), *others]
    body = {
        "version": change.version,
        "rows": ids if len(ids) <= MAX_ROWS else MANY,
        "schema": bool(delta.table or delta.columns or delta.order),
        "moved": moved,
        "change_id": change.pk,
        "actor": change.actor.get_username() if change.actor else None,
    }
    _after_commit(change_made, table_id=change.table_id, body=body)


def announce_access(table: Table) -> None:
    """Send `access_changed` after the commit: a user may no longer view the table, or has another role."""
    _after_commit(access_changed, table_id=table.pk)


def _after_commit(signal: Any, **arguments: Any) -> None:
    transaction.on_commit(lambda: signal.send_robust(sender=None, **arguments), robust=True)
