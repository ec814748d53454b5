"""The client of a request: its network address, its browser, and whether a user has signed in with it before."""
from __future__ import annotations

import secrets
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import constant_time_compare, salted_hmac

# A provider gives each customer at least one IPv6 network of this size: its addresses are counted together.
IPV6_PREFIX = 64
# The first match counts: browsers also name the browsers that they are compatible with.
BROWSER_NAMES = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chromium/", "Chromium"), ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)  # fmt: skip
SYSTEM_NAMES = (
    ("Windows", "Windows"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"),
    ("Macintosh", "macOS"), ("Linux", "Linux"),
)  # fmt: skip
COOKIE_NAME = "known"
# Must not change, because issued cookies are signed with it.
SALT = "accounts.trusted_devices"
COOKIE_SECONDS = 180 * 24 * 3600


def client_network(request: HttpRequest) -> str:
    """Return the address under which requests are counted; for IPv6 the network, such as `2001:db8::/64`."""
    return _network(client_ip(request))


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


def _network(address: str) -> str:
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


def browser_name(user_agent: str) -> str:
    """Return the browser and system of a user agent, for example "Firefox, Windows"; "" if both are unknown."""
    tables = (BROWSER_NAMES, SYSTEM_NAMES)
    found = (next((name for token, name in table if token in user_agent), "") for table in tables)
    return ", ".join(name for name in found if name)


def remember_browser(response: HttpResponseBase, *, user: Any) -> None:
    """Set the cookie that marks the browser as one of the user's. It grants no access."""
    value = signing.dumps([_user_digest(user.get_username()), secrets.token_hex(8)], salt=SALT)
    response.set_cookie(
        COOKIE_NAME, value, max_age=COOKIE_SECONDS, httponly=True, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
    )


def known_browser(request: HttpRequest, *, name: str) -> str:
    """Return the id of a browser in which the user of this name has signed in before, or ""."""
    try:
        digest, browser = signing.loads(request.COOKIES.get(COOKIE_NAME, ""), salt=SALT, max_age=COOKIE_SECONDS)
    except signing.BadSignature:
        return ""
    return browser if constant_time_compare(digest, _user_digest(name)) else ""


def _user_digest(name: str) -> str:
    return salted_hmac(SALT, name).hexdigest()[:32]
