"""Wrappers of the sockets: refuse those of other sites, limit their number, ignore closed connections."""
from __future__ import annotations

import resource
from collections.abc import Mapping
from io import BytesIO
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from autobahn.exception import Disconnected
from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.utils.http import is_same_domain

from chatproject.asgi_types import ASGIApp, Receive, Scope, Send
from chatproject.observability.metrics.definitions import API_ERRORS
from shared.websockets.consumer import FULL

HTTP_SCHEMES = {"ws": "http", "wss": "https"}
DEFAULT_PORTS = {"http": 80, "https": 443}


class Origin(NamedTuple):
    """A web origin: scheme, host in lower case, and port, the default one included."""

    scheme: str
    host: str
    port: int


def with_origin_check(app: ASGIApp) -> ASGIApp:
    """Refuse handshakes from pages of other sites.

    Browsers let any page open a socket to any site, and send that site's cookies.
    """
    refuse: ASGIApp = WebsocketDenier.as_asgi()

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await (app if is_allowed(scope) else refuse)(scope, receive, send)

    return serve


def is_allowed(scope: Scope) -> bool:
    """Return whether a handshake is from a page of this site, from CSRF_TRUSTED_ORIGINS, or from an API client.

    The origin of this site is determined as in Django's CSRF check: the Host header, which must be in ALLOWED_HOSTS,
    and the scheme, for which SECURE_PROXY_SSL_HEADER applies. Browsers always send an Origin and never send an
    Authorization header with a handshake, so a request with a bearer token and without Origin is from an API client.
    """
    origins = _headers(scope, b"origin")
    if not origins:
        return any(value.strip().lower().startswith("bearer ") for value in _headers(scope, b"authorization"))
    origin = parse_origin(origins[0]) if len(origins) == 1 else None
    if origin is None:
        return False
    return origin == _own_origin(scope) or any(_matches(origin, trusted) for trusted in settings.CSRF_TRUSTED_ORIGINS)


def parse_origin(text: str) -> Origin | None:
    """Return the origin of a URL, None for anything else, such as the `null` of a sandboxed page."""
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
        return parse_origin(f"{request.scheme}://{request.get_host()}")
    except DisallowedHost:
        return None


def _matches(origin: Origin, pattern: str) -> bool:
    """Return whether an origin matches a pattern of CSRF_TRUSTED_ORIGINS, such as `https://*.example.org`."""
    trusted = parse_origin(pattern.replace("*", "", 1))
    if trusted is None or (origin.scheme, origin.port) != (trusted.scheme, trusted.port):
        return False
    return is_same_domain(origin.host, trusted.host)


def _headers(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for header, value in scope.get("headers", ()) if header.lower() == name]


def with_socket_limit(app: ASGIApp) -> ASGIApp:
    """Refuse new sockets with close code 4503 above the limit of open sockets of a process.

    They are accepted before that, because browsers do not reveal the close code of a refused handshake.
    """
    count = 0

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal count
        if count >= max_sockets():
            API_ERRORS.labels("too_many_sockets").inc()
            if (await receive())["type"] == "websocket.connect":
                await send({"type": "websocket.accept"})
                await send({"type": "websocket.close", "code": FULL})
            return
        count += 1
        try:
            await app(scope, receive, send)
        finally:
            count -= 1

    return serve


def max_sockets() -> int:
    """Return SOCKETS_A_PROCESS, but at most half of the files that the process may have open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return int(settings.SOCKETS_A_PROCESS) if soft < 0 else min(settings.SOCKETS_A_PROCESS, soft // 2)


# The exceptions of Daphne and of other servers.
DISCONNECTED = (Disconnected, OSError)


def with_disconnects_ignored(app: ASGIApp) -> ASGIApp:
    """Ignore messages to a client that has disconnected; the application receives the disconnect message later."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_if_connected(message: Mapping[str, Any]) -> None:
            try:
                await send(message)
            except DISCONNECTED:
                return

        await app(scope, receive, send_if_connected)

    return serve
