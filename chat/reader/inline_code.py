"""The inline code mode: a marker after backticks is code if they are closed within the same paragraph."""
from __future__ import annotations

import re

from chat.reader.blocks import PLAIN_LINE
from chat.reader.scan_state import ScanState

MAX_RUN_LENGTH = 32  # longer runs open no inline code, which limits the number of lengths in a paragraph
_BACKTICKS = re.compile(r"`+")


class BacktickRuns:
    """The runs of backticks of one paragraph that are not closed: each of them may open inline code.

    Only the first one is open; the others count if it is not closed.
    """

    def __init__(self) -> None:
        self.open_length = 0  # length of the closing run of the open one; 0: none is open
        self._later_runs: list[tuple[int, int]] = []  # the runs after it: length of the closing run, own length
        self._paragraph = 0
        self._unclosed_lengths: set[int] = set()  # lengths of which no run follows in this paragraph

    def set_paragraph(self, paragraph: int) -> None:
        """Set the current paragraph. Runs of another one are only text."""
        if paragraph != self._paragraph:
            self._paragraph = paragraph
            self.open_length = 0
            self._later_runs.clear()
            self._unclosed_lengths.clear()

    def add(self, length: int, *, escaped: bool = False) -> None:
        """Add a run. Its first backtick cannot open code after a backslash, but it can close it."""
        self._add(length - escaped, length)

    def close(self) -> None:
        """Close the open run."""
        self.open_length = 0
        self._later_runs.clear()

    def reject(self) -> None:
        """Discard the open run, as no closing one follows. A later run may be open instead."""
        self._unclosed_lengths.add(self.open_length)
        others, self._later_runs, self.open_length = self._later_runs, [], 0
        for opens, length in others:
            self._add(opens, length)

    def _add(self, opens: int, length: int) -> None:
        if self.open_length == length:
            self.open_length = 0
            self._later_runs.clear()
        elif self.open_length:
            self._later_runs.append((opens, length))
        elif opens <= MAX_RUN_LENGTH and opens not in self._unclosed_lengths:
            self.open_length = opens


class InlineCodeMode:
    """Holds text from the marker until it is known whether it is code.

    Each character is read a bounded number of times.
    """

    def __init__(self, state: ScanState, *, runs: BacktickRuns) -> None:
        self._state = state
        self._runs = runs
        self._blocks = state.blocks.copy()
        self._lines: list[str] = []  # complete lines
        self._line: list[str] = []  # pieces of the current line
        self._continues: bool | None = True  # whether the current line continues the paragraph; None: unknown
        self._ticks = 0  # backticks at the end of the current line

    def read(self, text: str, *, final: bool) -> str | None:
        """Show text that is inline code, and return the rest, to be read as prose; None while this is unknown."""
        if self._continues and not final and "\n" not in text:  # fast path
            self._line.append(text)
            closed = self._find_closing(text, is_complete=False)
            return None if closed < 0 else self._show_code("".join(self._line), at=closed - len(text), rest=[])
        lines = text.split("\n")
        for index, piece in enumerate(lines):
            is_complete = final or index < len(lines) - 1
            rest = lines[index + 1 :]
            if piece:
                self._line.append(piece)
            if self._continues is None:
                self._continues = self._continues_paragraph(is_complete=is_complete)
                piece = self._line[0] if self._continues else ""
            if self._continues is None:
                return None
            if not self._continues:
                return self._reject(rest)
            closed = self._find_closing(piece, is_complete=is_complete)
            if closed >= 0:
                return self._show_code("".join(self._line), at=closed - len(piece), rest=rest)
            if rest:
                self._lines += [*self._line, "\n"]
                self._line, self._continues = [], None
        return self._reject([]) if final else None

    def _continues_paragraph(self, *, is_complete: bool) -> bool | None:
        """Whether the current line continues the paragraph; None if more of it is needed."""
        if not is_complete and not (self._line and PLAIN_LINE.match(self._line[0])):
            return None
        self._line = ["".join(self._line)]
        return self._blocks.continues_paragraph(self._line[0])

    def _find_closing(self, piece: str, *, is_complete: bool) -> int:
        """Return the position after the closing backticks in the next piece of the line, or -1."""
        if not self._ticks and "`" not in piece:
            return -1
        for found in _BACKTICKS.finditer(piece):
            length = found.end() - found.start()
            if found.start() == 0:
                length += self._ticks
            elif self._ticks == self._runs.open_length:
                return 0
            self._ticks = 0
            if found.end() == len(piece) and not is_complete:
                self._ticks = length
                return -1
            if length == self._runs.open_length:
                return found.end()
        if piece or is_complete:
            ticks, self._ticks = self._ticks, 0
            return 0 if ticks == self._runs.open_length else -1
        return -1

    def _show_code(self, line: str, *, at: int, rest: list[str]) -> str:
        """Show code up to `at`, a negative position from the end of the line, and return the rest."""
        at += len(line)
        self._runs.close()
        self._state.show("".join([*self._lines, line[:at]]))
        self._state.mode = None
        return "\n".join([line[at:], *rest])

    def _reject(self, rest: list[str]) -> str:
        self._runs.reject()
        self._state.mode = None
        return "\n".join(["".join([*self._lines, *self._line]), *rest])
