"""Carries the news of the services to the sockets, in whatever process those are."""
from __future__ import annotations

from typing import Any

from shared.websockets.broadcast import ASKED_AS, tell
from tables.signals import access_changed, change_made


def connect() -> None:
    """From now on, what is committed is told."""
    change_made.connect(_change_made, dispatch_uid="tables.consumers.change_made")
    access_changed.connect(_access_changed, dispatch_uid="tables.consumers.access_changed")


def group_of(table_id: int) -> str:
    """The group of the sockets of one table."""
    return f"table-{table_id}"


def _change_made(sender: Any, *, table_id: int, body: dict[str, Any], **_: Any) -> None:
    # The page that asked for it hears of it before its request is answered, perhaps long before.
    asked_as = {"asked_as": name} if (name := ASKED_AS.get()) else {}
    tell(group_of(table_id), {"type": "table.change", "body": {**body, **asked_as}})


def _access_changed(sender: Any, *, table_id: int, **_: Any) -> None:
    tell(group_of(table_id), {"type": "table.access"})
