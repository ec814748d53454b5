"""Batches of model calls: many requests that a provider answers together within a day. Independent of the SDK."""
from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from chat.agent.model import Stop

Json = dict[str, Any]


@dataclass(frozen=True)
class BatchRequest:
    """A call in a batch. `custom_id` has up to 64 letters, digits, hyphens and underscores."""

    custom_id: str
    system: Sequence[Json]
    messages: Sequence[Json]
    tools: Sequence[Json]
    tool_choice: Json | None
    max_tokens: int


@dataclass(frozen=True)
class BatchState:
    """A batch at the provider: its id, whether all requests have ended, its number of requests, and its creation."""

    id: str
    has_ended: bool
    size: int
    created_at: datetime


@dataclass(frozen=True)
class BatchAnswer:
    """The end of a request, in any order. `stop` is None unless it succeeded."""

    custom_id: str
    end: Literal["succeeded", "errored", "canceled", "expired"]
    stop: Stop | None = None


class Batches(Protocol):
    """The batches of a provider. All methods raise ModelFailure."""

    async def create(self, requests: Sequence[BatchRequest]) -> BatchState:
        """Send requests. After a failure that may pass, they may have arrived."""
        ...

    async def read(self, batch_id: str) -> BatchState | None:
        """Return the state of a batch, None if the provider does not have it."""
        ...

    async def cancel(self, batch_id: str) -> None:
        """Have a batch end soon; requests that were answered keep their answers. One that has ended is left alone."""
        ...

    async def created_between(self, first: datetime, last: datetime) -> list[BatchState]:
        """Return the batches of this account that were created in this time."""
        ...

    def answers(self, batch_id: str) -> AsyncGenerator[BatchAnswer, None]:
        """Yield the ends of all requests of a batch that has ended, while they arrive."""
        ...
