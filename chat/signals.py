"""What the chat tells others about, after the commit."""
from __future__ import annotations

from django.dispatch import Signal

# `user_id` and `body`: {"type": "turn_started" | "turn_ended" | "payload_status" | "review_changed" |
# "conversation_changed", ids}.
news = Signal()

# For those who count. A turn has ended, after the commit: `turn`, as it is stored now.
turn_over = Signal()
# An apply has ended, whatever came of it: `payload_type`, `outcome` (a status, or the code of a failure), `seconds`.
apply_ended = Signal()
