"""Carries the chat's news to the sockets of the person they are about, in whatever process those are."""
from __future__ import annotations

from typing import Any

from django.contrib.auth.signals import user_logged_out

from chat.signals import news
from sockets.session import mark_of
from sockets.telling import tell


def connect() -> None:
    """From now on, what is committed is told."""
    news.connect(_news, dispatch_uid="chat.consumers.news")
    user_logged_out.connect(_signed_out, dispatch_uid="chat.consumers.signed_out")


def group_of(user_id: Any) -> str:
    """The group of the sockets of one person."""
    return f"chat.user.{user_id}"


def _news(sender: Any, *, user_id: Any, body: dict[str, Any], **_: Any) -> None:
    tell(group_of(user_id), {"type": "chat.news", "body": body})


def _signed_out(sender: Any, *, user: Any, request: Any, **_: Any) -> None:
    if user is not None:
        # Django says so before it ends the session: who asked for that one in this moment would still find it.
        ending = mark_of(request.session.session_key)
        tell(group_of(user.pk), {"type": "chat.access", "ending": ending})
