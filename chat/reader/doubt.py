"""A marker after a lone run of backticks: inside inline code if the run is answered on the same line, else not."""
from __future__ import annotations

import re
from dataclasses import dataclass

_TICKS = re.compile(r"`+")
_TICK_OR_LINE_END = re.compile(r"[`\n]")


@dataclass(frozen=True)
class Settled:
    """The end of a doubt: `code` was inside inline code (up to its closing run), `rest` is to be read again."""

    code: str
    rest: str


class Doubt:
    """Keeps text from the marker on until the question is settled; each character is looked at once."""

    def __init__(self, run: int) -> None:
        self._run = run
        self._kept: list[str] = []
        self._ticks = 0  # backticks at the end of what is kept

    def feed(self, text: str, *, final: bool) -> Settled | None:
        """Takes text; None while it stays open."""
        at = 0
        while at < len(text):
            if self._ticks:
                found = _TICKS.match(text, at)
                end = found.end() if found else at
                self._ticks += end - at
                at = end
                if at == len(text):
                    break
                if self._ticks == self._run:
                    return Settled(code=self._with(text[:at]), rest=text[at:])
                self._ticks = 0
            found = _TICK_OR_LINE_END.search(text, at)
            if found is None:
                break
            if found.group() == "\n":
                return Settled(code="", rest=self._with(text))
            at = found.end()
            self._ticks = 1
        if final and self._ticks == self._run:
            return Settled(code=self._with(text), rest="")
        if final:
            return Settled(code="", rest=self._with(text))
        self._kept.append(text)
        return None

    def _with(self, text: str) -> str:
        return "".join([*self._kept, text])
