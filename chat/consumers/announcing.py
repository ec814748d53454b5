"""Carries the chat's news to the sockets of the person they are about, in whatever process those are."""
from __future__ import annotations

from typing import Any

from chat.signals import news
from sockets.broadcast import tell


def connect() -> None:
    """From now on, what is committed is told."""
    news.connect(_news, dispatch_uid="chat.consumers.news")


def group_of(user_id: Any) -> str:
    """The group of the sockets of one person."""
    return f"chat.user.{user_id}"


def _news(sender: Any, *, user_id: Any, body: dict[str, Any], **_: Any) -> None:
    tell(group_of(user_id), {"type": "chat.news", "body": body})
