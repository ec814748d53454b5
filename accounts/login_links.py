"""One-time sign-in links: valid for 15 minutes, once, and until the user signs in in any way."""
from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core import signing
from django.urls import reverse
from django.utils import timezone

SALT = "accounts.login_links"
MAX_AGE_SECONDS = 15 * 60


def login_link(user: User, *, origin: str) -> str:
    """Return the URL that signs this user in, for example `http://127.0.0.1:8000/sign-in/link/<token>/`."""
    seen = user.last_login.isoformat() if user.last_login else ""
    token = signing.dumps({"user": user.pk, "seen": seen}, salt=SALT)
    return origin.rstrip("/") + reverse("sign_in_link", args=[token])


def redeem(token: str) -> User | None:
    """Return the user of a valid link and invalidate it; None for a forged, expired or used one."""
    try:
        content: dict[str, Any] = signing.loads(token, salt=SALT, max_age=MAX_AGE_SECONDS)
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=content["user"], is_active=True).first()
    if user is None or (user.last_login.isoformat() if user.last_login else "") != content["seen"]:
        return None
    # Because of the condition on last_login it works once, also for two requests at the same moment.
    won = User.objects.filter(pk=user.pk, last_login=user.last_login).update(last_login=timezone.now())
    return user if won else None
