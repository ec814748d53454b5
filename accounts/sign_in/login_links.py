"""One-time sign-in links, and the origin of the running server, for commands that print them.

A link is valid for 15 minutes, once, and until the user signs in in any way.
"""
from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.urls import reverse
from django.utils import timezone

# Must not change, because issued links are signed with it.
SALT = "accounts.login_links"
MAX_AGE_SECONDS = 15 * 60
DEFAULT_ORIGIN = "http://127.0.0.1:8000"


def login_link(user: User, *, origin: str) -> str:
    """Return the URL that signs this user in, for example `http://127.0.0.1:8000/sign-in/link/<token>/`."""
    seen = user.last_login.isoformat() if user.last_login else ""
    token = signing.dumps({"user": user.pk, "seen": seen}, salt=SALT)
    return origin.rstrip("/") + reverse("sign_in_link", args=[token])


def redeem_login_link(token: str) -> User | None:
    """Return the user of a valid link and invalidate it; None for a forged, expired or used one."""
    try:
        content: dict[str, Any] = signing.loads(token, salt=SALT, max_age=MAX_AGE_SECONDS)
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=content["user"], is_active=True).first()
    if user is None or (user.last_login.isoformat() if user.last_login else "") != content["seen"]:
        return None
    # Because of the condition on last_login it works once, also for two requests at the same moment.
    updated = User.objects.filter(pk=user.pk, last_login=user.last_login).update(last_login=timezone.now())
    return user if updated else None


def save_server_origin(origin: str) -> None:
    """Record where the running server is reached, for example `http://127.0.0.1:8001`."""
    _origin_file().write_text(origin, encoding="utf-8")


def delete_server_origin(origin: str) -> None:
    """Remove the record, unless another server has recorded its own origin since."""
    if _saved_origin() == origin:
        _origin_file().unlink(missing_ok=True)


def server_origin() -> str:
    """Return the origin that users open: from CSRF_TRUSTED_ORIGINS, else of the running server, else the default."""
    trusted = (origin for origin in settings.CSRF_TRUSTED_ORIGINS if "*" not in origin)
    return next(trusted, "") or _saved_origin() or DEFAULT_ORIGIN


def _saved_origin() -> str:
    try:
        return _origin_file().read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _origin_file() -> Path:
    return Path(settings.DATA_DIR) / "origin.txt"
