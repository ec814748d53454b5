"""Remembers text that is dealt with, to answer questions about a place: after a word? at the start of a line?"""
from __future__ import annotations

import re

BLANK = " \t>"  # what may stand before a fence on its line
LONGEST_LEAD = 40
_LEAD = re.compile(r"[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t>]+)*")


class Lookback:
    """Raw text in pieces; nothing is joined, and only blanks are ever looked at twice."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.add = self._pieces.append

    def after_word(self) -> bool:
        """Whether the last character is a letter, a digit or `_`."""
        last = self._pieces[-1][-1:] if self._pieces else ""
        return last.isalnum() or last == "_"

    def at_line_start(self, text: str, at: int) -> bool:
        """Whether only blanks stand before `at` on its line, where `text` follows what is remembered."""
        while at > 0 and text[at - 1] in BLANK:
            at -= 1
        if at > 0:
            return text[at - 1] == "\n"
        for piece in reversed(self._pieces):
            line = piece.rstrip(BLANK)
            if line:
                return line[-1] == "\n"
        return True

    def at_block_start(self, text: str, at: int) -> bool:
        """Whether a block may begin at `at`: at the start of a line, or behind the mark of a list's item there."""
        if self.at_line_start(text, at):
            return True
        lead = text[max(0, at - LONGEST_LEAD) : at]
        for piece in reversed(self._pieces):
            if len(lead) == LONGEST_LEAD:
                break
            lead = (piece[-LONGEST_LEAD:] + lead)[-LONGEST_LEAD:]
        _, ended, line = lead.rpartition("\n")
        whole = bool(ended) or len(lead) < LONGEST_LEAD
        return whole and _LEAD.fullmatch(line) is not None
