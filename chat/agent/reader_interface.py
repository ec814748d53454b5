"""What the agent needs of whoever reads the model's text; the reader stands above and is handed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from chat.agent.events import AgentPayloadProgress, Elements
from user_messages import Message

Json = dict[str, Any]


@dataclass(frozen=True)
class Written:
    """A payload in the text. `payload` is `{"type","data"}`, or None where `faults` say why it cannot be read; `raw` is
    its JSON as the model wrote it; `cut`: the answer was cut off inside it."""

    marker: str
    raw: str
    payload: Json | None = None
    faults: tuple[str, ...] = ()
    cut: bool = False


@dataclass(frozen=True)
class Verdict:
    """What the live data holds against a payload.

    `faults` are against the whole, which then cannot be shown; `closing` is for the person, if no correction helps;
    such a proposal was understood, and is not written once more. `reason` is for the person if the correction failed.
    `operation_faults` are against single operations: `operations[3].changes.Amount: …`.
    """

    faults: tuple[str, ...] = ()
    closing: Message | None = None
    reason: Message | None = None
    operation_faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lost:
    """An element whose text broke off: its marker, how many characters of the text it had taken, and how many
    operations in it were whole."""

    marker: str
    characters: int
    operations: int = 0


class Reading(Protocol):
    """The reading of one turn, call after call."""

    def feed(self, text: str, /) -> str:
        """Takes text of the running call; the answer is what the person may see now."""
        ...

    def progress(self) -> tuple[AgentPayloadProgress, ...]:
        """What has become complete of the payload that is arriving, since last asked."""
        ...

    def cut_off(self) -> Lost | None:
        """The call broke off but will be gone on with. What was lost if that was inside an element's JSON; None if it
        was in text. Either way what follows is read as if it belonged to the same call."""
        ...

    def end_call(self, *, tool_use: bool, cut: bool = False) -> str:
        """End the call and return the remaining visible text. In a call that ends in tool use no element counts; `cut`
        says that the model did not end its answer itself."""
        ...

    def before_tools(self) -> str:
        """What was held back at the end of the text so far, now that something follows."""
        ...

    def tool_mark(self, index: int, /) -> str:
        """The place of a tool's card in the text."""
        ...

    def say(self, sentence: str, /) -> str:
        """A sentence of the application's own, as a paragraph at the end; the answer is the text to send."""
        ...

    def take_notes(self) -> tuple[str, ...]:
        """What the model must be told about what it wrote and was not shown, since last asked."""
        ...

    def written(self) -> Written | None:
        """The payload in the text; parses it, so it may take its time."""
        ...

    def begin_repair(self) -> None:
        """What is fed from now on is a payload written once more; no text of it is shown."""
        ...

    def end_repair(self, *, counts: bool, cut: bool = False) -> Written | None:
        """Return the payload of the repair, None if there is none or the call does not count. `cut`: see `end_call`."""
        ...

    def elements(self, *, shown: Json | None, notes: tuple[str, ...] = (), unreadable: str = "") -> Elements:
        """What was read, given the payload that is shown; `notes` and `unreadable` are about the one in the text."""
        ...
