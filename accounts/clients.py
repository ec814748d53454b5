"""The client of a request: its network address, its browser, and whether a user has signed in with it before."""
from __future__ import annotations

import secrets
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import constant_time_compare, salted_hmac

# A provider gives each customer at least this many IPv6 addresses: they count as one.
IPV6_PREFIX = 64


def address_of(request: HttpRequest) -> str:
    """Return the address that a request is counted by; of an IPv6 address the network, such as `2001:db8::/64`."""
    return _counted(client_ip(request))


def client_ip(request: HttpRequest) -> str:
    """Return the address of the client, or the one that a trusted proxy names; "" for none.

    Clients can write anything into `X-Forwarded-For`; each proxy appends the address of its own client.
    """
    address: str = request.META.get("REMOTE_ADDR", "")
    named = request.headers.get("X-Forwarded-For", "").split(",")
    while named and _is_trusted(address):
        last = named.pop().strip()
        if not _is_address(last):
            break
        address = last
    return address.partition("%")[0] if _is_address(address) else ""


def _counted(address: str) -> str:
    parsed = ip_address(address) if _is_address(address) else None
    if not isinstance(parsed, IPv6Address):
        return address
    return str(parsed.ipv4_mapped or ip_network((int(parsed), IPV6_PREFIX), strict=False))


def _is_trusted(address: str) -> bool:
    return _is_address(address) and any(ip_address(address) in network for network in settings.TRUSTED_PROXIES)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


# The first that is found: browsers also name those that they want to be taken for.
BROWSERS = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chromium/", "Chromium"), ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)  # fmt: skip
SYSTEMS = (
    ("Windows", "Windows"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"),
    ("Macintosh", "macOS"), ("Linux", "Linux"),
)  # fmt: skip


def browser_name(user_agent: str) -> str:
    """Return, for example, "Firefox, Windows"; "" for what is not known."""
    found = (next((name for mark, name in names if mark in user_agent), "") for names in (BROWSERS, SYSTEMS))
    return ", ".join(name for name in found if name)


COOKIE = "known"
# Stays as it is: issued cookies are signed with it.
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
