"""Reads prose: finds the markers that begin an element, and the code in which they would not."""
from __future__ import annotations

from chat.reader.arriving import Arriving
from chat.reader.code_block import CodeBlock
from chat.reader.doubt import Doubt
from chat.reader.flow import Closing, Flow
from chat.reader.line_starts import LONGEST_INFO
from chat.reader.markers import MORE, MORE_THAN_SPACE, NO, Markers, Match, Verdict
from chat.reader.open_runs import OpenRuns
from chat.reader.stretches import end_of_run, end_of_space


class Prose:
    """The mode in which a text begins and to which all others return."""

    def __init__(self, flow: Flow, *, markers: Markers) -> None:
        self._flow = flow
        self._markers = markers
        self._runs = OpenRuns()
        self._done = 0  # up to where in the text that is read it is dealt with

    def read(self, text: str, *, final: bool) -> str | None:
        """Shows what is text, holds what may begin something else, gives back what another mode reads."""
        at = self._done = 0
        search = self._markers.starts.search
        while (found := search(text, at)) is not None:
            at = found.start()
            character = text[at]
            if character in "`~":
                goes_on = self._run(text, at, final=final)
            elif at == 0 and character != "*" and self._flow.blocks.after_word():
                goes_on = 1
            else:
                goes_on = self._marker(text, at, final=final)
            if goes_on is None:
                return text[self._done :] if self._flow.mode is not None else None
            at = goes_on
        self._flow.show(text[self._done :])
        return None

    # What follows answers where to go on in the text; None when the rest of it is held, or for another mode.

    def _marker(self, text: str, at: int, *, final: bool) -> int | None:
        """What may be a marker."""
        match = self._markers.match(text, at)
        if match.verdict is not Verdict.YES:
            if final or match.verdict is Verdict.NO:
                return at + 1
            return self._hold(text, at, match.verdict)
        if self._runs.open:
            self._come_to(text, at)
            if self._runs.open:
                self._flow.mode = Doubt(self._flow, runs=self._runs)
                return None
        self._flow.show(text[self._done : at])
        return self._begin(match, opening=text[at : match.json_at], json_at=match.json_at)

    def _run(self, text: str, at: int, *, final: bool) -> int | None:
        """Backticks or tildes."""
        character = text[at]
        end = end_of_run(text, at, of=character)
        whole = final or end < len(text)
        if whole and character == "~" and end - at < 3:
            return end
        self._come_to(text, at)
        blocks = self._flow.blocks
        if not whole and (character == "`" or blocks.at_start):
            return self._hold(text, at, Verdict.MORE_THAN_TICKS)
        if end - at >= 3 and blocks.at_start:
            return self._fence(text, at, end, final=final)
        if character == "`":
            self._runs.take(end - at, escaped=blocks.escaped())
        return end

    def _fence(self, text: str, at: int, end: int, *, final: bool) -> int | None:
        """A fence between `at` and `end`: does it hold an element, or code?"""
        fence = text[at:end]
        closing, self._flow.closing = self._flow.closing, Closing.NONE
        if closing is not Closing.NONE and (end == len(text) or text[end].isspace()):
            self._flow.blocks.begin_code()
            self._flow.blocks.end_code(fence=fence)
            self._done = end if closing is Closing.HIDDEN else at
            return end
        newline = text.find("\n", end, end + LONGEST_INFO)
        info = text[end : newline if newline >= 0 else end + LONGEST_INFO]
        if fence[0] == "`" and "`" in info:
            self._runs.take(end - at)
            return end
        match = self._first_line(text, newline) if newline >= 0 else MORE if len(info) < LONGEST_INFO else NO
        if match.verdict is Verdict.YES:
            self._flow.blocks.begin_code()
            return self._begin(match, opening=text[at : match.json_at], json_at=match.json_at, around=fence)
        if match.verdict is not Verdict.NO and not final:
            return self._hold(text, at, match.verdict)
        self._flow.out.append(fence)
        self._flow.mode = CodeBlock(self._flow, fence=fence)
        self._done = end
        return None

    def _first_line(self, text: str, newline: int) -> Match:
        """Whether a fence, the line of which ends here, is around an element."""
        first = end_of_space(text, newline)
        if first == len(text):
            return MORE_THAN_SPACE
        if text[first] in "`~" or not self._markers.starts.match(text, first):
            return NO
        return self._markers.match(text, first)

    def _begin(self, match: Match, *, opening: str, json_at: int, around: str = "") -> int | None:
        self._flow.mode = Arriving(self._flow, match=match, opening=opening, around=around)
        self._done = json_at
        return None

    def _hold(self, text: str, at: int, verdict: Verdict) -> int | None:
        self._flow.show(text[self._done : at])
        self._flow.hold(text[at:], verdict)
        return None

    def _come_to(self, text: str, at: int) -> None:
        """Shows what stands before, and finds out in which paragraph this is."""
        self._flow.show(text[self._done : at])
        self._done = at
        self._flow.blocks.look()
        self._runs.reach(self._flow.blocks.leaf)
