"""What the modes of reading share: what is shown, what is held until it is clear what it is, whose turn it is."""
from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Protocol

from chat.reader.blocks import Blocks
from chat.reader.element import Element
from chat.reader.markers import Verdict
from chat.reader.operation_watch import OperationWatch

Watch = Callable[[str], OperationWatch | None]

_SPACE = None  # for `str.strip`: white space of any kind


class Mode(Protocol):
    """One way to read."""

    def read(self, text: str, *, final: bool) -> str | None:
        """Takes text, and gives back what the mode that has its turn now must go on with, or None."""


class Closing(Enum):
    """A fence that is still to come, and closes something that is over already: it begins no code block."""

    NONE = "none"
    SHOWN = "shown"
    HIDDEN = "hidden"


class Flow:
    """The text of one model call on its way."""

    def __init__(self, *, watch: Watch, beginnings: frozenset[str]) -> None:
        self.elements: list[Element] = []
        self.watch = watch
        self.blocks = Blocks()
        self.mode: Mode | None = None  # None: prose, to which all others return
        self.closing = Closing.NONE
        self.out: list[str] = []
        self.held: list[str] = []
        self.name = ""  # what is held, where it is the beginning of a marker's name and nothing else
        self._beginnings = beginnings
        self._idle: str | None = ""  # characters of which more decide nothing about what is held

    def show(self, text: str) -> None:
        """It is text, and may be seen."""
        if text:
            self.out.append(text)
            self.blocks.add(text)

    def hold(self, text: str, verdict: Verdict) -> None:
        """What it is depends on what comes next."""
        self.held = [text]
        if verdict is Verdict.MORE_THAN_SPACE:
            self._idle = _SPACE
        else:
            self._idle = text[-1:] if verdict is Verdict.MORE_THAN_TICKS else ""
        self.name = text if verdict is Verdict.MORE and text in self._beginnings else ""

    def more_to_hold(self, text: str) -> bool:
        """Holds this behind what is held, if that then is as undecided as before."""
        if text.strip(self._idle):
            return False
        self.held.append(text)
        return True

    def with_held(self, text: str) -> str:
        """The text behind what was held, which is so no more."""
        text = "".join([*self.held, text])
        self.held = []
        self._idle = self.name = ""
        return text
