"""Reads a code block: all of it is shown, up to its closing fence or the end of the quote or list it stands in."""
from __future__ import annotations

from chat.reader.flow import Closing, Flow
from chat.reader.line_starts import Cursor
from chat.reader.markers import Verdict
from chat.reader.stretches import end_of_blanks, end_of_run

CODE = -1


class CodeBlock:
    """One fenced code block, from behind its opening fence on."""

    def __init__(self, flow: Flow, *, fence: str) -> None:
        self._flow = flow
        self._fence = fence
        self._containers, indent = flow.blocks.begin_code()
        self._deepest = max(3, indent)  # a fence that is indented more is code
        self._line_begins = False

    def read(self, text: str, *, final: bool) -> str | None:
        """Shows what is code; gives back what stands behind it."""
        at = 0
        while True:
            if self._line_begins:
                if at == len(text):
                    break
                newline = text.find("\n", at)
                line = text[at : newline if newline >= 0 else len(text)]
                end = self._end_in(line, whole=final or newline >= 0)
                if isinstance(end, Verdict):
                    self._flow.out.append(text[:at])
                    self._flow.hold(text[at:], end)
                    return None
                if end != CODE:
                    return self._over(text, at + end, fence=line[:end])
                self._line_begins = False
            newline = text.find("\n", at)
            if newline < 0:
                break
            at = newline + 1
            self._line_begins = True
        self._flow.out.append(text)
        return None

    def _end_in(self, line: str, *, whole: bool) -> int | Verdict:
        """Where in a line the block ends, CODE if it does not, a verdict if more must be known; 0: it ended before."""
        cursor = Cursor(line)
        for container in self._containers:
            if cursor.blanks()[0] == len(line) and not whole:
                return Verdict.MORE_THAN_SPACE
            if not cursor.enter(container):
                return 0
        at, indent = cursor.blanks()
        if at == len(line) and not whole:
            return Verdict.MORE_THAN_SPACE
        end = end_of_run(line, at, of=self._fence[0])
        if end == at or indent > self._deepest:
            return CODE
        if end == len(line) and not whole:
            return Verdict.MORE_THAN_TICKS
        after = end_of_blanks(line, end)
        if after == len(line) and not whole:
            return Verdict.MORE
        return end if end - at >= len(self._fence) and after == len(line) else CODE

    def _over(self, text: str, at: int, *, fence: str) -> str:
        self._flow.out.append(text[:at])
        self._flow.blocks.end_code(fence=fence)
        if not fence:
            # Whoever forgets to indent code in a list still closes it: what looks like a new fence is its end.
            self._flow.closing = Closing.SHOWN
        self._flow.mode = None
        return text[at:]
