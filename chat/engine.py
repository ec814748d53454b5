"""Limits of a turn and of a user, each with a hard maximum."""
from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

# Minimum and maximum of each limit. Seconds are wall clock time; tokens are those of the provider.
CAPS: dict[str, tuple[int, int]] = {
    "max_tokens": (256, 64_000),
    "max_iterations": (1, 20),
    "max_tool_calls": (1, 50),
    "call_seconds": (1, 600),
    "first_token_seconds": (0, 1_800),
    "turn_seconds": (1, 1_800),
    "retries": (0, 2),
    "retry_seconds": (0, 20),
    "context_tokens": (8_000, 1_000_000),
    "tokens_a_day": (0, 100_000_000),
    "turns_a_minute": (1, 1_000),
    "streams_a_user": (1, 100),
}
# For the system prompt, the current context and tool output, which have their own limits.
RESERVED_TOKENS = 40_000
MIN_HISTORY_TOKENS = 1_000


@dataclass(frozen=True)
class Engine:
    """The default model and the limits."""

    model: str = ""
    max_tokens: int = 16_000
    max_iterations: int = 5
    max_tool_calls: int = 12
    call_seconds: int = 120
    first_token_seconds: int = 240
    turn_seconds: int = 300
    retries: int = 2
    retry_seconds: int = 20
    context_tokens: int = 200_000
    tokens_a_day: int = 1_000_000
    turns_a_minute: int = 20
    streams_a_user: int = 4

    @property
    def history_tokens(self) -> int:
        """Return the maximum tokens of the history in a request."""
        return max(self.context_tokens - self.max_tokens - RESERVED_TOKENS, MIN_HISTORY_TOKENS)

    @property
    def request_tokens(self) -> int:
        """Return the maximum tokens of a request to the model."""
        return self.history_tokens + RESERVED_TOKENS

    def with_values(self, values: dict[str, Any]) -> Engine:
        """Return a copy with other values, clamped to their range; unknown names are ignored."""
        known = {field.name for field in fields(self)}
        return replace(self, **{name: clamped(name, value) for name, value in values.items() if name in known})


def clamped(name: str, value: Any) -> Any:
    """Return the value clamped to the range of this limit, or unchanged if it has none."""
    if name not in CAPS:
        return value
    minimum, maximum = CAPS[name]
    return max(minimum, min(int(value), maximum))
