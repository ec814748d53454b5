"""Which turn runs here: a task that runs one says so, for whatever is logged on its way."""
from __future__ import annotations

from contextvars import ContextVar

# The turn's id, "" elsewhere. Every turn has a context of its own.
TURN: ContextVar[str] = ContextVar("turn", default="")
