"""Follows a text's blocks as far as code depends on them: its quotes, lists and paragraphs."""
from __future__ import annotations

import re
from copy import copy

from chat.reader.line_starts import QUOTE, containers_of, ends_paragraph

_ORDINARY = re.compile(r"[^\s>#*+\-_=0-9`~]")
# Stands for what comes next, of which only is known that it is no blank, and that no fence stands before it.
_SOMETHING = "x`"


class Blocks:
    """Remembers text as it is dealt with and looks it through, line by line, only when somebody asks about a place."""

    def __init__(self) -> None:
        self.pending: list[str] = []  # what was not looked through yet
        self.add = self.pending.append
        self._last = ""  # the last character looked through
        self._slashes = 0  # backslashes at its end
        self._begun: list[str] = []  # the line that has begun, as long as nothing but blanks and marks may be in it
        self._entered = False  # whether its containers are known
        self._in_paragraph = False
        self._indent = 0
        self._may_begin = True
        self._open: tuple[int, ...] = ()
        self._empty_item = False  # whether the last line was nothing but the mark of one: a blank line now ends it
        self._going_on = 0  # how many of the open containers go on in this line
        self.leaf = 0  # a number for each paragraph or heading: inline code does not reach from one into another
        self.at_start = False  # whether a block may begin at the place that was asked about

    def after_word(self) -> bool:
        """Whether the last character is a letter, a digit or `_`."""
        last = self.pending[-1][-1:] if self.pending else self._last
        return last.isalnum() or last == "_"

    def look(self) -> None:
        """Brings `leaf` and `at_start` up to this place, at which something other than a blank comes next."""
        if self.pending:
            text = "".join(self.pending)
            self.pending.clear()
            self._take(text)
        if not self._entered:
            before = "".join(self._begun)
            content = self._enter(before + _SOMETHING)
            self.at_start = self._may_begin and content == len(before)

    def escaped(self) -> bool:
        """Whether a backslash takes its meaning from what comes next; for a place that was looked at."""
        return self._slashes % 2 == 1

    def line(self, text: str) -> bool:
        """Takes a whole line after the one that was looked at; whether the same paragraph goes on in it."""
        leaf = self.leaf
        self._enter(text)
        return self.leaf == leaf

    def put_in(self) -> None:
        """Looks through what is remembered, which is much by now; what is found out does not change by it."""
        if self.pending:
            text = "".join(self.pending)
            self.pending.clear()
            self._take(text)
        if not self._entered and not self._open and self._begun and _ORDINARY.match(self._begun[0]):
            # Whatever follows in it: so a line without end is not kept.
            self._enter(self._begun[0])
            self._begun = []

    def ahead(self) -> Blocks:
        """One that looks at what follows, while this one stays."""
        other = copy(self)
        other.pending = []
        other.add = other.pending.append
        other._begun = [*self._begun]
        return other

    def begin_code(self) -> tuple[tuple[int, ...], int]:
        """A code block begins at the place that was looked at: the containers it stands in, and its indent."""
        self._open = self._open[: self._going_on]
        self._end_paragraph()
        return self._open, self._indent

    def end_code(self, *, fence: str) -> None:
        """It has ended: behind this fence, or, without one, where a line begins that is outside its containers."""
        self._last = fence[-1:] or "\n"
        self._slashes = 0
        self._begun, self._entered, self.at_start = [], bool(fence), False

    def _take(self, text: str) -> None:
        self.at_start = False
        last = text[-1:]
        if last == "\\":
            bare = text.rstrip("\\")
            self._slashes = len(text) - len(bare) + (0 if bare else self._slashes)
        else:
            self._slashes = 0
        self._last = last
        if "\n" not in text:
            if not self._entered:
                self._begun.append(text)
            return
        first, *lines = text.split("\n")
        if not self._entered:
            self._enter("".join([*self._begun, first]))
        last_line = lines.pop()
        self._begun = [last_line] if last_line else []
        for line in lines:
            self._enter(line)
        self._entered = False

    def _enter(self, line: str) -> int:
        """Takes a line, or as much of it as says where it stands; where its content begins."""
        self._entered = True
        if not self._open and _ORDINARY.match(line):  # as it nearly always is
            self._indent = self._going_on = 0
            self._may_begin, self._empty_item = True, False
            if not self._in_paragraph:
                self._begin_paragraph()
            return 0
        found = containers_of(line, open_before=self._open, in_paragraph=self._in_paragraph)
        content = line[found.content :].rstrip("\r")
        goes_on = self._in_paragraph and not found.new
        underlines = goes_on and found.old == len(self._open)
        is_text = bool(content) and (found.indent > 3 or not ends_paragraph(content, underlines=underlines))
        # Deeper than three blanks only text can go on; elsewhere a fence is taken for one, as it is surely meant.
        self._may_begin = found.indent < 4 or not goes_on
        self._indent = found.indent
        self._going_on = found.old + len(found.new)
        if not (goes_on and is_text):
            # A paragraph goes on in a line that leaves the marks of its quotes and items away; nothing else does.
            over = self._empty_item and not content and not found.new and found.old == len(self._open)
            self._open = (*self._open[: found.old - over], *found.new)
            self._end_paragraph()
        self._empty_item = not content and found.new[-1:] not in {(), (QUOTE,)}
        if is_text and not self._in_paragraph:
            self._begin_paragraph()
        return found.content

    def _begin_paragraph(self) -> None:
        self.leaf += 1
        self._in_paragraph = True

    def _end_paragraph(self) -> None:
        self.leaf += 1
        self._in_paragraph = False
