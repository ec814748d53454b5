"""The code block mode: show text up to the closing fence, or the end of the quote or list around the code block."""
from __future__ import annotations

from chat.reader.blocks import LineCursor
from chat.reader.markers import MatchStatus, end_of_blanks, end_of_run
from chat.reader.scan_state import LateFence, ScanState

NO_END = -1


class CodeBlockMode:
    """Reads one code block after its opening fence."""

    def __init__(self, state: ScanState, *, fence: str) -> None:
        self._state = state
        self._fence = fence
        self._containers, indent = state.blocks.begin_code()
        self._max_indent = max(3, indent)  # a fence that is indented more is code
        self._at_line_start = False

    def read(self, text: str, *, final: bool) -> str | None:
        """Show the code, and return the text after it."""
        at = 0
        while True:
            if self._at_line_start:
                if at == len(text):
                    break
                newline = text.find("\n", at)
                line = text[at : newline if newline >= 0 else len(text)]
                end = self._find_end(line, is_complete=final or newline >= 0)
                if isinstance(end, MatchStatus):
                    self._state.output.append(text[:at])
                    self._state.hold(text[at:], end)
                    return None
                if end != NO_END:
                    return self._finish(text, at + end, fence=line[:end])
                self._at_line_start = False
            newline = text.find("\n", at)
            if newline < 0:
                break
            at = newline + 1
            self._at_line_start = True
        self._state.output.append(text)
        return None

    def _find_end(self, line: str, *, is_complete: bool) -> int | MatchStatus:
        """Return the position in a line at which the block ends, NO_END, or a status if more text is needed.

        At 0 it ended before the line.
        """
        cursor = LineCursor(line)
        for container in self._containers:
            if cursor.measure_blanks()[0] == len(line) and not is_complete:
                return MatchStatus.NEEDS_NON_SPACE
            if not cursor.enter(container):
                return 0
        at, indent = cursor.measure_blanks()
        if at == len(line) and not is_complete:
            return MatchStatus.NEEDS_NON_SPACE
        end = end_of_run(line, at, of=self._fence[0])
        if end == at or indent > self._max_indent:
            return NO_END
        if end == len(line) and not is_complete:
            return MatchStatus.NEEDS_OTHER_CHARACTER
        after = end_of_blanks(line, end)
        if after == len(line) and not is_complete:
            return MatchStatus.NEEDS_MORE
        return end if end - at >= len(self._fence) and after == len(line) else NO_END

    def _finish(self, text: str, at: int, *, fence: str) -> str:
        self._state.output.append(text[:at])
        self._state.blocks.end_code(fence=fence)
        if not fence:
            # Code in a list that is not indented is still followed by its closing fence.
            self._state.late_fence = LateFence.SHOWN
        self._state.mode = None
        return text[at:]
