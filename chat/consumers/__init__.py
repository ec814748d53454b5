"""The WebSocket that sends changes of turns, proposals and conversations to a user's open pages."""
from __future__ import annotations

from django.urls import path

from chat.consumers.chat_socket import ChatSocket

websocket_routes = [path("ws/chat/", ChatSocket.as_asgi())]
