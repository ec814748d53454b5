"""The element mode: read the JSON of an element and the end of its fence, without showing them."""
from __future__ import annotations

from chat.reader.code_block import CodeBlockMode
from chat.reader.elements import Element, JsonScanner
from chat.reader.markers import Match, MatchStatus, end_of_run, end_of_space
from chat.reader.scan_state import LateFence, ScanState


class ElementMode:
    """Reads one element from the bracket of its JSON.

    `opening` is the text before the bracket: the marker, and the fence after it if there is one. `outer_fence` is the
    fence around the whole element, or "".
    """

    def __init__(self, state: ScanState, *, match: Match, opening: str, outer_fence: str = "") -> None:
        watch = state.watch_factory(match.name)
        if watch is not None:
            # A code block may have more content than the element.
            watch.is_certain = not outer_fence
        self.marker = match.name
        self._state = state
        self._opening = opening
        self._outer_fence = outer_fence
        self._fence = "`" * match.fence
        self._json = JsonScanner(watch)
        self._json_complete = False

    @property
    def in_json(self) -> bool:
        """Whether its JSON has not ended."""
        return not self._json_complete

    @property
    def length(self) -> int:
        """Length of the element in the text so far."""
        return len(self._opening) + len(self._json.raw)

    @property
    def operations(self) -> int:
        """The number of operations that the watch has returned."""
        watch = self._json.watch
        return watch.count if watch is not None else 0

    def read(self, text: str, *, final: bool) -> str | None:
        """Read the text of the element, and return the rest."""
        if self._json_complete:
            return self._read_fence(text, final=final)
        end = self._json.feed(text)
        if end < 0:
            if final:
                self._append_element(unclosed=True)
            return None
        self._json_complete = True
        if not self._fence and not self._outer_fence:
            self._finish()
        return text[end:]

    def return_to_prose(self, *, after: str) -> None:
        """Return to prose, with `after` as the text before it."""
        self._state.blocks.add(after)
        self._state.mode = None

    def _read_fence(self, text: str, *, final: bool) -> str | None:
        """Read the closing fence after the JSON."""
        fence = self._fence or self._outer_fence
        at = end_of_space(text, 0)
        end = end_of_run(text, at, of=fence[0])
        if end == len(text) and not final:
            self._state.hold(text, MatchStatus.NEEDS_NON_SPACE if at == end else MatchStatus.NEEDS_OTHER_CHARACTER)
            return None
        closes = end - at >= len(fence)
        if closes or at == len(text):
            if closes and self._fence and self._outer_fence:
                self._state.late_fence = LateFence.HIDDEN
            self._finish()
            return text[end:]
        if self._fence:
            self._finish()
            self._state.late_fence = LateFence.HIDDEN
            return text
        # The code block has more content than the element, so it is an example of one.
        if self._json.watch is not None:
            self._json.watch.is_void = True
        self._state.output.append(self._opening + self._json.raw)
        self._state.mode = CodeBlockMode(self._state, fence=self._outer_fence)
        return text

    def _finish(self) -> None:
        if self._json.watch is not None:
            self._json.watch.is_certain = True
        self._append_element(unclosed=False)

    def _append_element(self, *, unclosed: bool) -> None:
        self._state.elements.append(Element(self.marker, self._json.raw, unclosed))
        self.return_to_prose(after="}")
