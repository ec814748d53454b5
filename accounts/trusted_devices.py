"""Browsers in which a user has signed in before. They have their own limit of password attempts."""
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
    """Set the cookie that marks the browser as one of the user's. It grants no access."""
    value = signing.dumps([_mark(user.get_username()), secrets.token_hex(8)], salt=SALT)
    answer.set_cookie(
        COOKIE, value, max_age=KEPT_SECONDS, httponly=True, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
    )


def known_browser(request: HttpRequest, *, name: str) -> str:
    """Return the id of a browser in which the user of this name has signed in before, or ""."""
    try:
        mark, browser = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=KEPT_SECONDS)
    except signing.BadSignature:
        return ""
    return browser if constant_time_compare(mark, _mark(name)) else ""


def _mark(name: str) -> str:
    return salted_hmac(SALT, name).hexdigest()[:32]
