"""The prose mode: find markers that start an element, and code, in which they do not."""
from __future__ import annotations

from chat.reader.blocks import MAX_INFO_LENGTH
from chat.reader.code_block import CodeBlockMode
from chat.reader.element_mode import ElementMode
from chat.reader.inline_code import BacktickRuns, InlineCodeMode
from chat.reader.markers import (
    NEEDS_MORE,
    NEEDS_NON_SPACE,
    NO_MATCH,
    Markers,
    Match,
    MatchStatus,
    end_of_run,
    end_of_space,
)
from chat.reader.scan_state import LateFence, ScanState


class ProseMode:
    """The mode at the start of a text, to which all others return."""

    def __init__(self, state: ScanState, *, markers: Markers) -> None:
        self._state = state
        self._markers = markers
        self._runs = BacktickRuns()
        self._position = 0  # in the text that is being read: everything before it is processed

    def read(self, text: str, *, final: bool) -> str | None:
        """Show text, hold the possible start of something else, and return the rest for another mode."""
        at = self._position = 0
        search = self._markers.start_pattern.search
        while (found := search(text, at)) is not None:
            at = found.start()
            character = text[at]
            if character in "`~":
                next_at = self._read_run(text, at, final=final)
            elif at == 0 and character != "*" and self._state.blocks.after_word():
                next_at = 1
            else:
                next_at = self._read_marker(text, at, final=final)
            if next_at is None:
                return text[self._position :] if self._state.mode is not None else None
            at = next_at
        self._state.show(text[self._position :])
        return None

    # The methods below return the position at which to continue, or None if the rest is held or for another mode.

    def _read_marker(self, text: str, at: int, *, final: bool) -> int | None:
        """Read a possible marker."""
        match = self._markers.match(text, at)
        if match.status is not MatchStatus.YES:
            if final or match.status is MatchStatus.NO:
                return at + 1
            self._hold(text, at, match.status)
            return None
        if self._runs.open_length:
            self._advance(text, at)
            if self._runs.open_length:
                self._state.mode = InlineCodeMode(self._state, runs=self._runs)
                return None
        self._state.show(text[self._position : at])
        self._start_element(match, text=text, at=at)
        return None

    def _read_run(self, text: str, at: int, *, final: bool) -> int | None:
        """Read a run of backticks or tildes."""
        character = text[at]
        end = end_of_run(text, at, of=character)
        is_complete = final or end < len(text)
        if is_complete and character == "~" and end - at < 3:
            return end
        self._advance(text, at)
        blocks = self._state.blocks
        if not is_complete and (character == "`" or blocks.at_block_start):
            self._hold(text, at, MatchStatus.NEEDS_OTHER_CHARACTER)
            return None
        if end - at >= 3 and blocks.at_block_start:
            return self._read_fence(text, at, end, final=final)
        if character == "`":
            self._runs.add(end - at, escaped=blocks.is_escaped())
        return end

    def _read_fence(self, text: str, at: int, end: int, *, final: bool) -> int | None:
        """Read a fence between `at` and `end`, around an element or code."""
        fence = text[at:end]
        late_fence, self._state.late_fence = self._state.late_fence, LateFence.NONE
        if late_fence is not LateFence.NONE and (end == len(text) or text[end].isspace()):
            self._state.blocks.begin_code()
            self._state.blocks.end_code(fence=fence)
            self._position = end if late_fence is LateFence.HIDDEN else at
            return end
        newline = text.find("\n", end, end + MAX_INFO_LENGTH)
        info = text[end : newline if newline >= 0 else end + MAX_INFO_LENGTH]
        if fence[0] == "`" and "`" in info:
            self._runs.add(end - at)
            return end
        if newline >= 0:
            match = self._match_fenced(text, newline)
        else:
            match = NEEDS_MORE if len(info) < MAX_INFO_LENGTH else NO_MATCH
        if match.status is MatchStatus.YES:
            self._state.blocks.begin_code()
            self._start_element(match, text=text, at=at, outer_fence=fence)
            return None
        if match.status is not MatchStatus.NO and not final:
            self._hold(text, at, match.status)
            return None
        self._state.output.append(fence)
        self._state.mode = CodeBlockMode(self._state, fence=fence)
        self._position = end
        return None

    def _match_fenced(self, text: str, newline: int) -> Match:
        """Match the marker of an element inside a fence, whose line ends at `newline`."""
        first = end_of_space(text, newline)
        if first == len(text):
            return NEEDS_NON_SPACE
        if text[first] in "`~" or not self._markers.start_pattern.match(text, first):
            return NO_MATCH
        return self._markers.match(text, first)

    def _start_element(self, match: Match, *, text: str, at: int, outer_fence: str = "") -> None:
        opening = text[at : match.json_start]
        self._state.mode = ElementMode(self._state, match=match, opening=opening, outer_fence=outer_fence)
        self._position = match.json_start

    def _hold(self, text: str, at: int, status: MatchStatus) -> None:
        self._state.show(text[self._position : at])
        self._state.hold(text[at:], status)

    def _advance(self, text: str, at: int) -> None:
        """Show the text before `at`, and update the blocks and the paragraph."""
        self._state.show(text[self._position : at])
        self._position = at
        self._state.blocks.update()
        self._runs.set_paragraph(self._state.blocks.paragraph)
