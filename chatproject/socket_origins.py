"""Refuse WebSocket handshakes from pages of other sites."""
from __future__ import annotations

from io import BytesIO
from typing import NamedTuple
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.utils.http import is_same_domain

from chatproject.assets import ASGIApp, Receive, Scope, Send

HTTP_SCHEMES = {"ws": "http", "wss": "https"}
DEFAULT_PORTS = {"http": 80, "https": 443}


class Origin(NamedTuple):
    """A web origin: scheme, host in lower case, and port, the default one included."""

    scheme: str
    host: str
    port: int


def with_own_origin(app: ASGIApp) -> ASGIApp:
    """Return the application behind a check of the `Origin` header.

    Browsers let any page open a socket to any site and send that site's cookies along.
    """
    refuse: ASGIApp = WebsocketDenier.as_asgi()

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await (app if is_allowed(scope) else refuse)(scope, receive, send)

    return serve


def is_allowed(scope: Scope) -> bool:
    """Return whether a handshake comes from a page of this site, from CSRF_TRUSTED_ORIGINS, or from a program.

    The origin of this site is found as Django's CSRF check finds it: the Host header, which must be in ALLOWED_HOSTS,
    and the scheme, for which SECURE_PROXY_SSL_HEADER applies. Browsers always send an Origin and never send an
    Authorization header with a handshake, so a request with a bearer token and without Origin is from a program.
    """
    given = _headers(scope, b"origin")
    if not given:
        return any(value.strip().lower().startswith("bearer ") for value in _headers(scope, b"authorization"))
    origin = read_origin(given[0]) if len(given) == 1 else None
    if origin is None:
        return False
    return origin == _own_origin(scope) or any(_matches(origin, trusted) for trusted in settings.CSRF_TRUSTED_ORIGINS)


def read_origin(text: str) -> Origin | None:
    """Return the origin of a URL; None for anything else, such as the `null` of a sandboxed page."""
    try:
        parts = urlsplit(text.strip())
        port = parts.port or DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return Origin(parts.scheme, parts.hostname, port) if parts.hostname and port else None


def _own_origin(scope: Scope) -> Origin | None:
    scheme = HTTP_SCHEMES.get(scope.get("scheme", "ws"), "http")
    request = ASGIRequest({**scope, "type": "http", "method": "GET", "scheme": scheme}, BytesIO())
    try:
        return read_origin(f"{request.scheme}://{request.get_host()}")
    except DisallowedHost:
        return None


def _matches(origin: Origin, pattern: str) -> bool:
    """Return whether an origin is the one of the pattern, or below it where that is like `https://*.example.org`."""
    trusted = read_origin(pattern.replace("*", "", 1))
    if trusted is None or (origin.scheme, origin.port) != (trusted.scheme, trusted.port):
        return False
    return is_same_domain(origin.host, trusted.host)


def _headers(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for header, value in scope.get("headers", ()) if header.lower() == name]
