"""Read the text of one model call while it streams, and separate visible text from elements."""
from __future__ import annotations

from collections.abc import Mapping

from chat.reader.element_mode import ElementMode
from chat.reader.elements import Element
from chat.reader.markers import Markers
from chat.reader.prose import ProseMode
from chat.reader.scan_state import ScanState, WatchFactory

MAX_PIECE_LENGTH = 4096
# Deltas of plain prose that are collected before they are processed.
MAX_PENDING = 256


class ResponseReader:
    """Reads the text of one model call, in pieces of any size, which do not change the result.

    `watch` is called with the marker of each element and returns the watch for its JSON, or None. Text is held only
    while it may be the start of a marker, and each character is read a bounded number of times.
    """

    def __init__(self, markers: Mapping[str, str], *, watch: WatchFactory | None = None) -> None:
        known = Markers(markers)
        self._name_prefixes = known.prefixes
        self._state = ScanState(watch=watch or _watch_nothing, name_prefixes=known.prefixes)
        self._prose = ProseMode(self._state, markers=known)
        # Attributes for the fast path of `feed`: most deltas are plain prose.
        self._is_plain = True
        self._search = known.start_pattern.search
        self._add_pending = self._state.blocks.add
        self._pending = self._state.blocks.pending

    @property
    def elements(self) -> list[Element]:
        """The elements found so far, in the order of the text."""
        return self._state.elements

    def feed(self, text: str) -> str:
        """Add text, and return the text to show now."""
        if self._is_plain and self._search(text) is None:
            self._add_pending(text)
            if len(self._pending) > MAX_PENDING:
                self._state.blocks.process_pending()
            return text
        state = self._state
        if state.held_name and (name := state.held_name + text) in self._name_prefixes:
            state.held_name, state.held = name, [name]
            return ""
        shown = self._scan(text, final=False)
        self._is_plain = not state.held and state.mode is None
        return shown

    def end(self) -> str:
        """End the text, and return the rest to show."""
        return self._scan("", final=True)

    def drop_open(self) -> ElementMode | None:
        """Drop the element in whose JSON the text was cut off and return it, or None.

        The text that follows is read as at the start of a line.
        """
        mode = self._state.mode
        if not isinstance(mode, ElementMode) or not mode.in_json:
            return None
        # The element may be sent again with a fence, which must be at the start of a line.
        mode.return_to_prose(after="\n")
        self._is_plain = True
        return mode

    def _scan(self, text: str, *, final: bool) -> str:
        """Read the text with the modes, in short pieces, because the rest that a mode returns is a copy."""
        state = self._state
        state.output = []
        pieces = [text]
        while pieces:
            piece = pieces.pop()
            if len(piece) > MAX_PIECE_LENGTH:
                cuts = range(0, len(piece), MAX_PIECE_LENGTH)
                pieces += [piece[cut : cut + MAX_PIECE_LENGTH] for cut in reversed(cuts)]
                continue
            is_last = final and not pieces
            if state.held:
                if not is_last and state.extend_held(piece):
                    continue
                piece = state.release_held(piece)
            mode = state.mode or self._prose
            rest = mode.read(piece, final=is_last)
            if rest is not None:
                pieces.append(rest)
        return "".join(state.output)


def _watch_nothing(marker: str) -> None:
    """Return no watch for any marker."""
