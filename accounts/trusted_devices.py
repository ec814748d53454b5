"""Browsers in which somebody has signed in before: whoever guesses elsewhere does not shut them out there."""
from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import constant_time_compare, salted_hmac

COOKIE = "known"
SALT = "accounts.trusted_devices"
KEPT_SECONDS = 180 * 24 * 3600


def remember_browser(answer: HttpResponseBase, *, user: Any) -> None:
    """Marks the browser that gets this answer as one of the person's; it holds no name, and opens nothing."""
    said = signing.dumps([_mark(user.get_username()), secrets.token_hex(8)], salt=SALT)
    answer.set_cookie(
        COOKIE, said, max_age=KEPT_SECONDS, httponly=True, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
    )


def known_browser(request: HttpRequest, *, name: str) -> str:
    """What a browser is told by in which the person of this name has signed in before; "" for any other."""
    try:
        mark, browser = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=KEPT_SECONDS)
    except signing.BadSignature:
        return ""
    return browser if constant_time_compare(mark, _mark(name)) else ""


def _mark(name: str) -> str:
    return salted_hmac(SALT, name).hexdigest()[:32]
