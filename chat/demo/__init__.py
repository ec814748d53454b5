"""The demo model: inside the project, without key or network, in the Messages API's wire form."""

from __future__ import annotations

from chat.demo.transport import demo_transport

__all__ = ["demo_transport"]
