"""Reads one answer of the model as it streams: text to show now, and elements that are never shown as text."""
from __future__ import annotations

from collections.abc import Callable, Mapping

from chat.reader.doubt import Doubt
from chat.reader.element import Element, OpenElement
from chat.reader.json_span import JsonSpan
from chat.reader.lookback import Lookback
from chat.reader.markers import Markers, Match, Verdict
from chat.reader.operation_watch import OperationWatch
from chat.reader.stretches import end_of_blanks, end_of_space, end_of_ticks

Watch = Callable[[str], OperationWatch | None]

LONGEST_INFO = 200
LONGEST_PIECE = 4096


class ResponseReader:
    """Feeds on the text of one model call, in any pieces; what comes out does not depend on the pieces.

    `watch` is asked for each element whose JSON begins: whether, and by whom, it is watched as it arrives. One pass:
    text is held only while it may be the start of a marker; every character is looked at a bounded number of times.
    """

    def __init__(self, markers: Mapping[str, str], *, watch: Watch | None = None) -> None:
        self.elements: list[Element] = []
        self._watch = watch or _nothing
        self._markers = Markers(markers)
        self._mode: Callable[[str, list[str], bool], str | None] = self._in_text
        self._held: list[str] = []
        self._idle = Verdict.NO  # what kind of text would decide nothing about what is held
        self._name = ""  # what is held, where it is the beginning of a marker's name and nothing else
        self._doubt: Doubt | None = None
        self._behind = Lookback()
        # Most deltas are plain prose: these three let them pass without further ado.
        self._plain = True
        self._search = self._markers.starts.search
        self._remember = self._behind.add
        self._inline = 0  # backticks of the inline code that may be open on this line
        self._code = 0  # backticks of the code block that is open
        self._stray_fence = False  # a fence was opened before an element and not closed right after it
        self._open: OpenElement | None = None

    def feed(self, text: str) -> str:
        """Takes what the model sent; the answer is what may be shown now."""
        if self._plain and self._search(text) is None:
            self._remember(text)
            return text
        if self._name and (name := self._name + text) in self._markers.beginnings:
            self._name, self._held = name, [name]
            return ""
        shown = self._drive(text, final=False)
        self._plain = not self._held and not self._inline and self._mode == self._in_text
        return shown

    def end(self) -> str:
        """The text is over: what was held and is no marker is shown."""
        return self._drive("", final=True)

    def drop_open(self) -> OpenElement | None:
        """The text broke off. If that was inside an element's JSON, forgets the element, and goes on with what follows
        as with a new answer, at the start of a line; the answer is what was forgotten."""
        element = self._open
        if element is None or self._mode != self._in_json:
            return None
        # Whoever sends the element again may well begin with its fence.
        self._close_element("\n")
        self._plain = True
        return element

    def _decides_nothing(self, text: str) -> bool:
        if self._idle is Verdict.MORE_THAN_SPACE:
            return not text.strip()
        return self._idle is Verdict.MORE_THAN_TICKS and not text.strip("`")

    def _drive(self, text: str, *, final: bool) -> str:
        """Gives the text to the modes, in short pieces: what a mode gives back is copied, so it must stay short."""
        out: list[str] = []
        waiting = [text]
        while waiting:
            piece = waiting.pop()
            if len(piece) > LONGEST_PIECE:
                cuts = range(0, len(piece), LONGEST_PIECE)
                waiting += [piece[cut : cut + LONGEST_PIECE] for cut in reversed(cuts)]
                continue
            over = final and not waiting
            if self._held and not over and self._decides_nothing(piece):
                self._held.append(piece)
                continue
            if self._held:
                piece = "".join([*self._held, piece])
                self._held = []
                self._idle = Verdict.NO
                self._name = ""
            rest = self._mode(piece, out, over)
            if rest is not None:
                waiting.append(rest)
        return "".join(out)

    # A mode takes text, adds what may be shown to `out`, and gives back what another mode must go on with, or None.

    def _in_text(self, text: str, out: list[str], final: bool) -> str | None:
        at = 0
        while True:
            pattern = self._markers.starts_in_code if self._inline else self._markers.starts
            found = pattern.search(text, at)
            if found is None:
                self._show(text, out)
                return None
            at = found.start()
            character = text[at]
            if character == "\n":
                self._inline = 0
                at += 1
            elif character == "`":
                end, rest = self._backticks(text, at, out, final)
                if end < 0:
                    return rest
                at = end
            elif at == 0 and character != "*" and self._behind.after_word():
                at = 1
            else:
                match = self._markers.match(text, at, inline=self._inline)
                if match.verdict is Verdict.YES:
                    return self._commit(text, at, match, out)
                if match.verdict is not Verdict.NO and not final:
                    return self._hold(text, at, out, match.verdict)
                at += 1

    def _backticks(self, text: str, at: int, out: list[str], final: bool) -> tuple[int, str | None]:
        """Deals with a run of backticks: where to go on in this text, or -1 and what the mode must give back."""
        end = end_of_ticks(text, at)
        length = end - at
        if end == len(text) and not final:
            return -1, self._hold(text, at, out, Verdict.MORE_THAN_TICKS)
        if self._inline:
            self._inline = 0 if length == self._inline else self._inline
            return end, None
        if length < 3 or not self._behind.at_block_start(text, at):
            self._inline = length
            return end, None
        if self._stray_fence:
            self._stray_fence = False
            if end == len(text) or text[end].isspace():
                self._show(text[:at], out)
                self._behind.add(text[at:end])
                return -1, text[end:]
        return self._fence(text, at, end, out, final)

    def _fence(self, text: str, at: int, end: int, out: list[str], final: bool) -> tuple[int, str | None]:
        """A fence opens at `at` with the backticks up to `end`: does it hold an element, or code?"""
        newline = text.find("\n", end, end + LONGEST_INFO)
        info = text[end : newline if newline >= 0 else end + LONGEST_INFO]
        if "`" in info:
            self._inline = end - at
            return end, None
        if newline >= 0:
            first = end_of_space(text, newline)
            if first == len(text):
                match = Match(Verdict.MORE_THAN_SPACE)
            else:
                match = self._markers.match(text, first) if self._search(text[first]) else Match(Verdict.NO)
                if text[first] == "`":
                    match = Match(Verdict.NO)
            if match.verdict is Verdict.YES:
                self._show(text[:at], out)
                self._begin_element(match, text[at : match.json_at], around=end - at)
                return -1, text[match.json_at :]
        else:
            match = Match(Verdict.MORE if len(info) < LONGEST_INFO else Verdict.NO)
        if match.verdict is not Verdict.NO and not final:
            return -1, self._hold(text, at, out, match.verdict)
        self._show(text[:end], out)
        self._code = end - at
        self._mode = self._in_code
        return -1, text[end:]

    def _commit(self, text: str, at: int, match: Match, out: list[str]) -> str:
        """A marker with its bracket: the element begins, unless inline code around it turns out to be closed."""
        self._show(text[:at], out)
        if self._inline:
            self._doubt = Doubt(self._inline)
            self._mode = self._in_doubt
            return text[at:]
        self._begin_element(match, text[at : match.json_at])
        return text[match.json_at :]

    def _begin_element(self, match: Match, opening: str, *, around: int = 0) -> None:
        watch = self._watch(match.name)
        if watch is not None:
            # A fence around it may yet turn out to hold more than the element.
            watch.certain = not around
        self._open = OpenElement(match.name, JsonSpan(watch), opening, fence=match.fence, around=around)
        self._mode = self._in_json

    def _in_doubt(self, text: str, out: list[str], final: bool) -> str | None:
        """A marker that may be inside inline code."""
        assert self._doubt is not None  # the mode is only entered with a doubt
        settled = self._doubt.feed(text, final=final)
        if settled is None:
            return None
        self._doubt = None
        self._inline = 0
        self._mode = self._in_text
        self._show(settled.code, out)
        return settled.rest

    def _in_json(self, text: str, out: list[str], final: bool) -> str | None:
        element = self._open
        assert element is not None  # the mode is only entered with an element
        end = element.span.feed(text)
        if end >= 0:
            self._mode = self._after_json
            return text[end:]
        if final:
            self.elements.append(element.element(cut=True))
            self._close_element(text)
        return None

    def _after_json(self, text: str, out: list[str], final: bool) -> str | None:
        """The JSON is whole: the fence after the marker or around it must follow."""
        element = self._open
        assert element is not None  # the mode is only entered with an element
        if not element.fence and not element.around:
            self._finish_element()
            return text
        at = end_of_space(text, 0)
        end = end_of_ticks(text, at)
        if end == len(text) and not final:
            self._held = [text]
            self._idle = Verdict.MORE_THAN_SPACE if at == end else Verdict.MORE_THAN_TICKS
            return None
        closes = end - at >= (element.fence or element.around)
        if closes or at == len(text):
            self._stray_fence = bool(closes and element.fence and element.around)
            self._finish_element()
            return text[end:]
        if element.fence:
            self._finish_element()
            self._stray_fence = True
            return text
        # The fence around it holds more than the element: it is a code block that shows how one looks.
        if element.span.watch is not None:
            element.span.watch.void = True
        self._show(element.opening + element.span.raw, out)
        self._code = element.around
        self._open = None
        self._mode = self._in_code
        return text

    def _in_code(self, text: str, out: list[str], final: bool) -> str | None:
        at = 0
        while True:
            at = text.find("`", at)
            if at < 0:
                self._show(text, out)
                return None
            end = end_of_ticks(text, at)
            if not self._behind.at_line_start(text, at):
                at = end
                continue
            after = end_of_blanks(text, end)
            if after == len(text) and not final:
                return self._hold(text, at, out, Verdict.MORE_THAN_TICKS if after == end else Verdict.MORE)
            if end - at >= self._code and (after == len(text) or text[after] == "\n"):
                self._show(text[:end], out)
                self._code = 0
                self._mode = self._in_text
                return text[end:]
            at = end

    def _finish_element(self) -> None:
        assert self._open is not None  # only called with an element
        if self._open.span.watch is not None:
            self._open.span.watch.certain = True
        self.elements.append(self._open.element())
        self._close_element("}")

    def _close_element(self, behind: str) -> None:
        self._behind.add(behind or "}")
        self._open = None
        self._mode = self._in_text

    def _hold(self, text: str, at: int, out: list[str], verdict: Verdict) -> str | None:
        self._show(text[:at], out)
        held = text[at:]
        self._held, self._idle = [held], verdict
        self._name = held if verdict is Verdict.MORE and held in self._markers.beginnings else ""
        return None

    def _show(self, text: str, out: list[str]) -> None:
        if text:
            out.append(text)
            self._behind.add(text)


def _nothing(marker: str) -> None:
    """Nobody watches."""
