"""A marker behind backticks that may open inline code: it is inside if they are answered within the same paragraph."""
from __future__ import annotations

import re

from chat.reader.flow import Flow
from chat.reader.open_runs import OpenRuns

_RUN = re.compile(r"`+")
# A line that begins so goes on with the paragraph, whatever else is in it.
_SURELY_TEXT = re.compile(r"[^\s>#*+\-_=0-9`~]")


class Doubt:
    """Keeps text from the marker on until that is clear; each character is looked at a bounded number of times."""

    def __init__(self, flow: Flow, *, runs: OpenRuns) -> None:
        self._flow = flow
        self._runs = runs
        self._blocks = flow.blocks.ahead()
        self._before: list[str] = []  # the lines that are over
        self._line: list[str] = []  # the pieces of the one that is not
        self._goes_on: bool | None = True  # whether it belongs to the paragraph; None: not known yet
        self._ticks = 0  # backticks at its end

    def read(self, text: str, *, final: bool) -> str | None:
        """Shows what turned out to be inline code; gives back what is to be read as prose. None while it stays open."""
        if self._goes_on and not final and "\n" not in text:  # as it nearly always is
            self._line.append(text)
            closed = self._closed_in(text, over=False)
            return None if closed < 0 else self._inline_code("".join(self._line), at=closed - len(text), rest=[])
        lines = text.split("\n")
        for index, piece in enumerate(lines):
            over = final or index < len(lines) - 1
            rest = lines[index + 1 :]
            if piece:
                self._line.append(piece)
            if self._goes_on is None:
                self._goes_on = self._belongs(over=over)
                piece = self._line[0] if self._goes_on else ""
            if self._goes_on is None:
                return None
            if not self._goes_on:
                return self._unanswered(rest)
            closed = self._closed_in(piece, over=over)
            if closed >= 0:
                return self._inline_code("".join(self._line), at=closed - len(piece), rest=rest)
            if rest:
                self._before += [*self._line, "\n"]
                self._line, self._goes_on = [], None
        return self._unanswered([]) if final else None

    def _belongs(self, *, over: bool) -> bool | None:
        """Whether the line that has begun goes on with the paragraph; None while more of it must be known."""
        if not over and not (self._line and _SURELY_TEXT.match(self._line[0])):
            return None
        self._line = ["".join(self._line)]
        return self._blocks.line(self._line[0])

    def _closed_in(self, piece: str, *, over: bool) -> int:
        """Where in the next piece of the line the backticks are answered; -1 if they are not."""
        if not self._ticks and "`" not in piece:
            return -1
        for found in _RUN.finditer(piece):
            length = found.end() - found.start()
            if found.start() == 0:
                length += self._ticks
            elif self._ticks == self._runs.open:
                return 0
            self._ticks = 0
            if found.end() == len(piece) and not over:
                self._ticks = length
                return -1
            if length == self._runs.open:
                return found.end()
        if piece or over:
            ticks, self._ticks = self._ticks, 0
            return 0 if ticks == self._runs.open else -1
        return -1

    def _inline_code(self, line: str, *, at: int, rest: list[str]) -> str:
        """`at` is counted from the end of the line, as far as it has come."""
        at += len(line)
        self._runs.close()
        self._flow.show("".join([*self._before, line[:at]]))
        self._flow.mode = None
        return "\n".join([line[at:], *rest])

    def _unanswered(self, rest: list[str]) -> str:
        self._runs.abandon()
        self._flow.mode = None
        return "\n".join(["".join([*self._before, *self._line]), *rest])
