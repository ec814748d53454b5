"""Carries the news of the services to the sockets, in whatever process those are."""
from __future__ import annotations

import asyncio
import logging
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer

from tables.signals import access_changed, change_made

# A channel layer out of reach may not hold up what was already written.
SECONDS = 2.0
logger = logging.getLogger(__name__)


def connect() -> None:
    """From now on, what is committed is told."""
    change_made.connect(_change_made, dispatch_uid="tables.consumers.change_made")
    access_changed.connect(_access_changed, dispatch_uid="tables.consumers.access_changed")


def group_of(table_id: int) -> str:
    """The group of the sockets of one table."""
    return f"table-{table_id}"


def _change_made(sender: Any, *, table_id: int, body: dict[str, Any], **_: Any) -> None:
    _tell(table_id, {"type": "table.change", "body": body})


def _access_changed(sender: Any, *, table_id: int, **_: Any) -> None:
    _tell(table_id, {"type": "table.access"})


def _tell(table_id: int, message: dict[str, Any]) -> None:
    try:
        async_to_sync(_send)(group_of(table_id), message)
    except Exception as problem:
        # Written is written: sockets notice by the version within a minute.
        logger.warning("Nobody was told of a change of table %s: %r", table_id, problem)


async def _send(group: str, message: dict[str, Any]) -> None:
    await asyncio.wait_for(get_channel_layer().group_send(group, message), SECONDS)
