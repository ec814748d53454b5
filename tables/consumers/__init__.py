"""WebSocket and event stream of a table: its changes, the users who have it open, the end of access.

In reading order: `table_socket`, `rooms` (the sockets of each table), `presence`, `broadcast` (signals to sockets),
`events` and `event_stream` (for programs), `access_watch` (the access of streams).
"""

from __future__ import annotations

from django.urls import path

from tables.consumers.table_socket import TableSocket

websocket_routes = [
    path("ws/tables/<int:table_id>/", TableSocket.as_asgi()),
]
