"""Reads one answer of the model as it streams: text to show now, and elements that are never shown as text."""
from __future__ import annotations

from collections.abc import Mapping

from chat.reader.arriving import Arriving
from chat.reader.element import Element
from chat.reader.flow import Flow, Watch
from chat.reader.markers import Markers
from chat.reader.prose import Prose

LONGEST_PIECE = 4096
# Of plain prose so many deltas are remembered before they are looked through.
MOST_PENDING = 256


class ResponseReader:
    """Feeds on the text of one model call, in any pieces; what comes out does not depend on the pieces.

    `watch` is asked for each element whose JSON begins: whether, and by whom, it is watched as it arrives. One pass:
    text is held only while it may be the start of a marker; every character is looked at a bounded number of times.
    """

    def __init__(self, markers: Mapping[str, str], *, watch: Watch | None = None) -> None:
        known = Markers(markers)
        self._beginnings = known.beginnings
        self._flow = Flow(watch=watch or _nothing, beginnings=known.beginnings)
        self._prose = Prose(self._flow, markers=known)
        # Most deltas are plain prose: these let them pass without further ado.
        self._plain = True
        self._search = known.starts.search
        self._remember = self._flow.blocks.add
        self._pending = self._flow.blocks.pending

    @property
    def elements(self) -> list[Element]:
        """What has been found, in the order of the text."""
        return self._flow.elements

    def feed(self, text: str) -> str:
        """Takes what the model sent; the answer is what may be shown now."""
        if self._plain and self._search(text) is None:
            self._remember(text)
            if len(self._pending) > MOST_PENDING:
                self._flow.blocks.put_in()
            return text
        flow = self._flow
        if flow.name and (name := flow.name + text) in self._beginnings:
            flow.name, flow.held = name, [name]
            return ""
        shown = self._drive(text, final=False)
        self._plain = not flow.held and flow.mode is None
        return shown

    def end(self) -> str:
        """The text is over: what was held and is no marker is shown."""
        return self._drive("", final=True)

    def drop_open(self) -> Arriving | None:
        """The text broke off. If that was inside an element's JSON, forgets the element, and goes on with what follows
        as with a new answer, at the start of a line; the answer is what was forgotten."""
        mode = self._flow.mode
        if not isinstance(mode, Arriving) or not mode.in_json:
            return None
        # Whoever sends the element again may well begin with its fence.
        mode.leave(behind="\n")
        self._plain = True
        return mode

    def _drive(self, text: str, *, final: bool) -> str:
        """Gives the text to the modes, in short pieces: what a mode gives back is copied, so it must stay short."""
        flow = self._flow
        flow.out = []
        waiting = [text]
        while waiting:
            piece = waiting.pop()
            if len(piece) > LONGEST_PIECE:
                cuts = range(0, len(piece), LONGEST_PIECE)
                waiting += [piece[cut : cut + LONGEST_PIECE] for cut in reversed(cuts)]
                continue
            over = final and not waiting
            if flow.held:
                if not over and flow.more_to_hold(piece):
                    continue
                piece = flow.with_held(piece)
            mode = flow.mode or self._prose
            rest = mode.read(piece, final=over)
            if rest is not None:
                waiting.append(rest)
        return "".join(flow.out)


def _nothing(marker: str) -> None:
    """Nobody watches."""
