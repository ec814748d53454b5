"""One reply of a model: content blocks, how they are streamed, and how the stream ends."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

Json = dict[str, Any]
PROSE_STEP, INPUT_STEP = 5, 12
ELEMENT_DELTAS = 250


@dataclass(frozen=True)
class Reply:
    """One reply of the model.

    `blocks`: content blocks as the API has them. A tool use with `at_once` has its input in one piece, as some
    servers send it. `sizes`: lengths of the deltas, repeated (empty: one delta a block). `ending`, after `ends_after`
    deltas (0: after all blocks): "" is complete, "cut" ends before the stop reason, "drop" breaks the connection,
    "error" sends `error` as an event. A `status` other than 200 is an error response, with `error` or with `body`.
    `delay` is the pause in seconds before the reply, `pace` that before each delta.
    """

    blocks: tuple[Json, ...] = ()
    stop_reason: str = "end_turn"
    sizes: tuple[int, ...] = ()
    ending: str = ""
    ends_after: int = 0
    status: int = 200
    error: Json = field(default_factory=dict)
    headers: Json = field(default_factory=dict)
    body: bytes | None = None
    usage: Json = field(default_factory=lambda: {"input_tokens": 100, "cache_read_input_tokens": 0})
    delay: float = 0
    pace: float = 0

    @classmethod
    def say(cls, text: str, *, sizes: Sequence[int] = (), **changes: Any) -> Self:
        """Return a reply of plain text, in deltas of these sizes."""
        return cls(blocks=({"type": "text", "text": text},), sizes=tuple(sizes), **changes)

    @classmethod
    def use(cls, *calls: tuple[str, Json], text: str = "", sizes: Sequence[int] = (), **changes: Any) -> Self:
        """Return a reply with tool calls (name, input) after some text."""
        blocks: list[Json] = [{"type": "text", "text": text}] if text else []
        blocks += [{"type": "tool_use", "name": name, "input": given} for name, given in calls]
        return cls(blocks=tuple(blocks), sizes=tuple(sizes), **{"stop_reason": "tool_use", **changes})

    @classmethod
    def interrupted(cls, text: str) -> Self:
        """Return a reply that an error event of the provider interrupts after this text."""
        return cls.say(text, ending="error", error={"type": "overloaded_error"})

    @classmethod
    def refuse(cls, status: int, *, kind: str, message: str = "no", retry_after: float | None = None) -> Self:
        """Return an error response without a stream."""
        headers = {} if retry_after is None else {"retry-after": str(retry_after)}
        return cls(status=status, error={"type": kind, "message": message}, headers=headers)

    def but(self, **changes: Any) -> Self:
        """Return the same reply with some fields changed."""
        return replace(self, **changes)


def delta_sizes(prose: str, *, element: str = "", inputs: Sequence[str] = ()) -> tuple[int, ...]:
    """Return the lengths of small deltas: of prose and an element in one text block, then of tool inputs as JSON.

    An element has a limited number of deltas, so that 200 rows take only seconds.
    """
    sizes = [*_steps(prose, PROSE_STEP), *_steps(element, max(PROSE_STEP, len(element) // ELEMENT_DELTAS))]
    return tuple(sizes + [size for text in inputs for size in _steps(text, INPUT_STEP)])


def _steps(text: str, step: int) -> Iterator[int]:
    return (min(step, len(text) - start) for start in range(0, len(text), step))
