"""The demo model: a small model inside the project that speaks the Messages API's wire form. Needs no key, no network."""
from __future__ import annotations

from chat.demo.transport import demo_transport

__all__ = ["demo_transport"]
