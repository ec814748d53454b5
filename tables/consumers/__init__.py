"""What a browser with an open table is told at once, over a WebSocket: changes, who else looks, that access ended."""
from __future__ import annotations

from django.urls import path

from tables.consumers.table_socket import TableSocket

websocket_routes = [
    path("ws/tables/<int:table_id>/", TableSocket.as_asgi()),
]
