"""What every open page of a person is told at once, over a WebSocket: turns, proposals, conversations, by their ids."""
from __future__ import annotations

from django.urls import path

from chat.consumers.chat_socket import ChatSocket

websocket_routes = [path("ws/chat/", ChatSocket.as_asgi())]
