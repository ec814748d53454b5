"""The interface of the reader of the model's text, which is implemented in `chat.reader`."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from chat.agent.events import AgentPayloadProgress, Elements
from shared.user_messages import Message

Json = dict[str, Any]


@dataclass(frozen=True)
class WrittenPayload:
    """A payload in the text.

    `payload` is `{"type","data"}`, or None if it cannot be read because of `faults`. `raw` is its JSON as the model
    wrote it. `cut`: the answer was cut off inside it.
    """

    marker: str
    raw: str
    payload: Json | None = None
    faults: tuple[str, ...] = ()
    cut: bool = False


@dataclass(frozen=True)
class CheckResult:
    """The result of checking a payload against current data.

    `faults` are reasons why it cannot be shown. `closing` is the user's message about a proposal that no correction can
    help; it is not repaired. `reason` is for the user if the repair failed. `operation_faults` are faults of single
    operations: `operations[3].changes.Amount: …`.
    """

    faults: tuple[str, ...] = ()
    closing: Message | None = None
    reason: Message | None = None
    operation_faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class LostElement:
    """An element that was cut off: its marker, its length in the text, and the number of its complete operations."""

    marker: str
    characters: int
    operations: int = 0


class Reader(Protocol):
    """Reads the text of one turn, call after call."""

    def feed(self, text: str, /) -> str:
        """Add text of the running call and return the text to show now."""
        ...

    def progress(self) -> tuple[AgentPayloadProgress, ...]:
        """Return the progress of the payload that is arriving since the last call of this method."""
        ...

    def drop_open_element(self) -> LostElement | None:
        """Drop the open element of a call that was cut off, and return it; None if the call was cut off in text.

        The text of the continuation is read as part of the same call.
        """
        ...

    def end_call(self, *, tool_use: bool, cut: bool = False) -> str:
        """End the call and return the remaining visible text.

        The elements of a call that ends in tool use are dropped. `cut`: the answer was cut off.
        """
        ...

    def flush_whitespace(self) -> str:
        """Return the white space held back at the end of the text, as a tool mark follows."""
        ...

    def tool_mark(self, index: int, /) -> str:
        """Return the mark for a tool's card in the text."""
        ...

    def append_paragraph(self, sentence: str, /) -> str:
        """Append a message of the application as a paragraph, and return the text to send."""
        ...

    def take_notes(self) -> tuple[str, ...]:
        """Return and clear the notes for the model about its elements that were not shown."""
        ...

    def parse_payload(self) -> WrittenPayload | None:
        """Return the payload in the text, parsed, which may take long, or None."""
        ...

    def start_repair(self) -> None:
        """Start to read the repair of the payload, of which no text is shown."""
        ...

    def end_repair(self, *, counts: bool, cut: bool = False) -> WrittenPayload | None:
        """Return the payload of the repair; None without one or if the call does not count. `cut`: see `end_call`."""
        ...

    def elements(self, *, shown: Json | None, notes: tuple[str, ...] = (), unreadable: str = "") -> Elements:
        """Return the elements, given the payload to show; `notes` and `unreadable` are about the one in the text."""
        ...
