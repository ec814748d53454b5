"""What the chat tells others about, after the commit."""
from __future__ import annotations

from django.dispatch import Signal

# `user_id` and `body`: {"type": "turn_started" | "turn_ended" | "payload_status" | "conversation_changed", ids}.
news = Signal()
