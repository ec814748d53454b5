"""Reads an element: its JSON, and the end of the fence around it or after its marker. Nothing of it is shown."""
from __future__ import annotations

from chat.reader.code_block import CodeBlock
from chat.reader.element import Element
from chat.reader.flow import Closing, Flow
from chat.reader.json_span import JsonSpan
from chat.reader.markers import Match, Verdict
from chat.reader.stretches import end_of_run, end_of_space


class Arriving:
    """One element, from the bracket of its JSON on. `opening` is the text before that: the marker, and the fence behind
    it if there is one; `around` the fence in which the element stands ("" for none)."""

    def __init__(self, flow: Flow, *, match: Match, opening: str, around: str = "") -> None:
        watch = flow.watch(match.name)
        if watch is not None:
            # A fence around it may yet turn out to hold more than the element.
            watch.certain = not around
        self.marker = match.name
        self._flow = flow
        self._opening = opening
        self._around = around
        self._fence = "`" * match.fence
        self._span = JsonSpan(watch)
        self._whole = False

    @property
    def in_json(self) -> bool:
        """Whether its JSON has not ended."""
        return not self._whole

    @property
    def length(self) -> int:
        """How many characters of the text it has taken up to now."""
        return len(self._opening) + len(self._span.raw)

    @property
    def operations(self) -> int:
        """How many whole operations of it have been told."""
        watch = self._span.watch
        return watch.count if watch is not None else 0

    def read(self, text: str, *, final: bool) -> str | None:
        """Takes what belongs to it, and gives back the rest."""
        if self._whole:
            return self._behind(text, final=final)
        end = self._span.feed(text)
        if end < 0:
            if final:
                self._add(unclosed=True)
            return None
        self._whole = True
        if not self._fence and not self._around:
            self._finish()
        return text[end:]

    def leave(self, *, behind: str) -> None:
        """Goes back to prose, as if this stood before what comes."""
        self._flow.blocks.add(behind)
        self._flow.mode = None

    def _behind(self, text: str, *, final: bool) -> str | None:
        """The JSON is whole: the fence after the marker or around it must follow."""
        fence = self._fence or self._around
        at = end_of_space(text, 0)
        end = end_of_run(text, at, of=fence[0])
        if end == len(text) and not final:
            self._flow.hold(text, Verdict.MORE_THAN_SPACE if at == end else Verdict.MORE_THAN_TICKS)
            return None
        closes = end - at >= len(fence)
        if closes or at == len(text):
            if closes and self._fence and self._around:
                self._flow.closing = Closing.HIDDEN
            self._finish()
            return text[end:]
        if self._fence:
            self._finish()
            self._flow.closing = Closing.HIDDEN
            return text
        # The fence around it holds more than the element: it is a code block that shows how one looks.
        if self._span.watch is not None:
            self._span.watch.void = True
        self._flow.out.append(self._opening + self._span.raw)
        self._flow.mode = CodeBlock(self._flow, fence=self._around)
        return text

    def _finish(self) -> None:
        if self._span.watch is not None:
            self._span.watch.certain = True
        self._add(unclosed=False)

    def _add(self, *, unclosed: bool) -> None:
        self._flow.elements.append(Element(self.marker, self._span.raw, unclosed))
        self.leave(behind="}")
