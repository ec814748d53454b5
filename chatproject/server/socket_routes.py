"""The URLs of the WebSockets of all apps."""
from __future__ import annotations

from django.apps import apps
from django.urls import URLPattern

from chat import consumers as chat_consumers


def socket_routes() -> list[URLPattern]:
    """Return the URLs of the installed apps' sockets."""
    routes = [*chat_consumers.websocket_routes]
    if apps.is_installed("tables"):
        from tables import consumers as tables_consumers

        routes += tables_consumers.websocket_routes
    return routes
