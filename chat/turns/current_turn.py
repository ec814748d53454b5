"""The id of the turn that the current task runs, for log lines."""
from __future__ import annotations

from contextvars import ContextVar

# "" outside of turns.
CURRENT_TURN_ID: ContextVar[str] = ContextVar("turn", default="")
