"""Send committed changes to the sockets of their table, in any process."""

from __future__ import annotations

from typing import Any

from shared.websockets.broadcast import PAGE_REQUEST_NAME, broadcast
from tables.consumers.messages import TableChangeMessage
from tables.signals import access_changed, change_made, news_made


def connect() -> None:
    """Connect the signals of committed changes and of news."""
    change_made.connect(_send_change, dispatch_uid="tables.consumers.change_made")
    access_changed.connect(_send_access_change, dispatch_uid="tables.consumers.access_changed")
    news_made.connect(_send_news, dispatch_uid="tables.consumers.news_made")


def group_of(table_id: int) -> str:
    """Return the group of the sockets of one table."""
    return f"table-{table_id}"


def _send_change(sender: Any, *, table_id: int, body: dict[str, Any], **_: Any) -> None:
    # The requesting page may receive the change before its response, and recognises it by this name.
    message = TableChangeMessage(**body, asked_as=PAGE_REQUEST_NAME.get() or None)
    broadcast(group_of(table_id), {"type": "table.change", "body": message.as_json()})


def _send_access_change(sender: Any, *, table_id: int, **_: Any) -> None:
    broadcast(group_of(table_id), {"type": "table.access"})


def _send_news(sender: Any, *, table_id: int, about: str, about_id: str, **_: Any) -> None:
    broadcast(group_of(table_id), {"type": "table.news", "about": about, "id": about_id})
