"""The state shared by the modes of the reader: the output, held text, and the current mode."""
from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Protocol

from chat.reader.blocks import BlockTracker
from chat.reader.elements import Element, OperationWatch
from chat.reader.markers import MatchStatus

WatchFactory = Callable[[str], OperationWatch | None]

_WHITE_SPACE = None  # argument of `str.strip` for white space of any kind


class Mode(Protocol):
    """A mode of the reader."""

    def read(self, text: str, *, final: bool) -> str | None:
        """Read text, and return the rest for the mode that is current then, or None. `final`: no text follows."""


class LateFence(Enum):
    """Whether the next fence closes something that has ended already, so that it starts no code block."""

    NONE = "none"
    SHOWN = "shown"
    HIDDEN = "hidden"


class ScanState:
    """The state of reading one model call. `watch` returns the watch for an element with this marker, or None."""

    def __init__(self, *, watch: WatchFactory, name_prefixes: frozenset[str]) -> None:
        self.elements: list[Element] = []
        self.watch_factory = watch
        self.blocks = BlockTracker()
        self.mode: Mode | None = None  # None: prose
        self.late_fence = LateFence.NONE
        self.output: list[str] = []
        self.held: list[str] = []
        self.held_name = ""  # the held text if it is the start of a marker's name
        self._name_prefixes = name_prefixes
        self._undecided: str | None = ""  # characters that do not decide what the held text is

    def show(self, text: str) -> None:
        """Show text."""
        if text:
            self.output.append(text)
            self.blocks.add(text)

    def hold(self, text: str, status: MatchStatus) -> None:
        """Hold text whose meaning depends on the following text."""
        self.held = [text]
        if status is MatchStatus.NEEDS_NON_SPACE:
            self._undecided = _WHITE_SPACE
        else:
            self._undecided = text[-1:] if status is MatchStatus.NEEDS_OTHER_CHARACTER else ""
        self.held_name = text if status is MatchStatus.NEEDS_MORE and text in self._name_prefixes else ""

    def extend_held(self, text: str) -> bool:
        """Append text to the held text if its meaning is still undecided; return whether it was appended."""
        if text.strip(self._undecided):
            return False
        self.held.append(text)
        return True

    def release_held(self, text: str) -> str:
        """Clear the held text, and return it with this text appended."""
        text = "".join([*self.held, text])
        self.held = []
        self._undecided = self.held_name = ""
        return text
