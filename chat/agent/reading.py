"""What the agent needs of whoever reads the model's text; the reader stands above and is handed in."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from chat.agent.events import Elements

Json = dict[str, Any]

UNREADABLE = (
    "I wrote a proposal, but it could not be read, so nothing is shown and nothing has changed. "
    "Please ask me to try again."
)
CUT_OFF = (
    "My proposal was cut off before it was complete, so nothing is shown and nothing has changed. "
    "Please ask for it in smaller parts."
)


@dataclass(frozen=True)
class Verdict:
    """What the live data holds against a payload: faults for the model, and a sentence for the person, if there is one
    that says more than that it could not be read."""

    faults: tuple[str, ...] = ()
    sentence: str = ""


class Reading(Protocol):
    """The reading of one turn, call after call."""

    def feed(self, text: str, /) -> str:
        """Takes text of the running call; the answer is what the person may see now."""
        ...

    def end_call(self, *, tool_use: bool, cut: bool) -> str:
        """The call is over: what else may be seen. In a call that ends in tool use no element counts."""
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

    def payload(self) -> Json | None:
        """The payload in the text, `{"type","data"}`, None when there is none or it cannot be read."""
        ...

    def trouble(self) -> str:
        """A sentence for the person about a proposal in the text that cannot be shown; "" when there is none."""
        ...

    def elements(self, *, shown: Json | None, faults: tuple[str, ...] = (), warning: str = "") -> Elements:
        """What was read, given the payload that is shown; `faults` is what the live data holds against the text's."""
        ...
