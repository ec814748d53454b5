"""One-time sign-in links: valid for 15 minutes, once, and void as soon as the person has signed in by any way."""
from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core import signing
from django.urls import reverse
from django.utils import timezone

SALT = "accounts.login_links"
MAX_AGE_SECONDS = 15 * 60


def login_link(user: User, *, origin: str) -> str:
    """The address that signs this user in, for example `http://127.0.0.1:8000/sign-in/link/<token>/`."""
    seen = user.last_login.isoformat() if user.last_login else ""
    token = signing.dumps({"user": user.pk, "seen": seen}, salt=SALT)
    return origin.rstrip("/") + reverse("sign_in_link", args=[token])


def redeem(token: str) -> User | None:
    """The user of a valid link, which is void from now on; None for a forged, old or used one."""
    try:
        content: dict[str, Any] = signing.loads(token, salt=SALT, max_age=MAX_AGE_SECONDS)
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=content["user"], is_active=True).first()
    if user is None or (user.last_login.isoformat() if user.last_login else "") != content["seen"]:
        return None
    # The condition on last_login makes it once, also when two requests carry the link at the same moment.
    won = User.objects.filter(pk=user.pk, last_login=user.last_login).update(last_login=timezone.now())
    return user if won else None
