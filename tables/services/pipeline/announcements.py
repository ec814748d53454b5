"""Lets those who listen know what was written, once it is committed and not before."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from tables.models import Change, Table
from tables.operations.delta import Delta
from tables.signals import access_changed, change_made

# Whoever hears of more rows than these had better read everything again.
MOST_ROWS = 500
MANY = "many"


def announce_change(change: Change, delta: Delta, *, others: Sequence[int] = (), moved: bool = False) -> None:
    """Belongs in the transaction of the change. `others` are rows it wrote that are not in the delta.

    `moved`: rows have other places now, so that it is not enough to read the rows that changed.
    """
    ids = [*(entry[0] for entry in delta.rows), *others]
    body = {
        "version": change.version,
        "rows": ids if len(ids) <= MOST_ROWS else MANY,
        "schema": bool(delta.table or delta.columns or delta.order),
        "moved": moved,
        "change_id": change.pk,
        "actor": change.actor.get_username() if change.actor else None,
    }
    _after_commit(change_made, table_id=change.table_id, body=body)


def announce_access(table: Table) -> None:
    """Somebody may see the table no longer, or in another role. Belongs in the transaction that decides so."""
    _after_commit(access_changed, table_id=table.pk)


def _after_commit(signal: Any, **news: Any) -> None:
    transaction.on_commit(lambda: signal.send_robust(sender=None, **news), robust=True)
