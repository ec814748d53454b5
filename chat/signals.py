"""Signals of the chat, sent after the commit."""
from __future__ import annotations

from django.dispatch import Signal

# `user_id` and `body`: a message of `chat.events` as JSON.
user_update = Signal()

# A turn has ended, for metrics: `turn`, as stored.
turn_finished = Signal()
# An apply has ended or failed, for metrics: `payload_type`, `outcome` (a status or an error code), `seconds`.
apply_ended = Signal()
