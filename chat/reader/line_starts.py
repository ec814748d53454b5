"""What the beginning of a line of Markdown says: which quotes and list items go on or begin, whether a block does."""
from __future__ import annotations

import re
from typing import NamedTuple

QUOTE = 0  # a container is a quote, or a list's item: then the columns its content is indented by
DEEPEST = 32  # what is nested deeper is read as text
LONGEST_INFO = 200  # what may stand after the backticks of a fence

_ITEM = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?=[ \t\r]|\Z)")
_RULE = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\r?\Z")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t\r]*\Z")
_HEADING = re.compile(r"#{1,6}(?:[ \t\r]|\Z)")
_FENCE = re.compile(rf"~{{3,}}|`{{3,}}(?!`)(?![^`\n]{{0,{LONGEST_INFO - 1}}}`)")


class Containers(NamedTuple):
    """What a line stands in: `old` of the containers that were open go on, `new` begin; its content follows at
    `content`, after `indent` columns of blanks."""

    old: int
    new: tuple[int, ...]
    content: int
    indent: int


class Cursor:
    """Goes along the blanks and marks at the beginning of a line; tabs reach to the next multiple of four."""

    def __init__(self, line: str, *, at: int = 0) -> None:
        self._line = line
        self.at = at
        self._column = 0
        self._spare = 0  # columns of a tab of which some are used up

    def enter(self, container: int) -> bool:
        """Goes over what stands for an open container; whether it goes on in this line."""
        at, indent = self.blanks()
        if container != QUOTE:
            if at < len(self._line) and self._line[at] != "\r" and indent < container:
                return False
            self._skip(min(indent, container))
            return True
        if indent > 3 or not self._line.startswith(">", at):
            return False
        self._begin_content(at + 1, indent=indent)
        return True

    def opened(self, *, interrupts: bool) -> int | None:
        """Goes over the mark of a container that begins here; None if none does. Not every item may begin within
        a paragraph (`interrupts`)."""
        at, indent = self.blanks()
        if indent > 3:
            return None
        if self._line.startswith(">", at):
            self._begin_content(at + 1, indent=indent)
            return QUOTE
        found = _ITEM.match(self._line, at)
        if found is None or _RULE.match(self._line, at):
            return None
        empty = not self._line[found.end() :].strip(" \t\r")
        if interrupts and (empty or found[1] not in {None, "1"}):
            return None
        width = found.end() - at
        self._to(found.end(), column=self._column + indent + width)
        _, gap = self.blanks()
        gap = 1 if empty or gap > 4 else gap
        self._skip(gap)
        return indent + width + gap

    def blanks(self) -> tuple[int, int]:
        """Where the blanks that begin here end, and how many columns they are."""
        at, column = self.at, self._column + self._spare
        while at < len(self._line) and self._line[at] in " \t":
            column += 1 if self._line[at] == " " else 4 - column % 4
            at += 1
        return at, column - self._column

    def _begin_content(self, at: int, *, indent: int) -> None:
        """One blank after the mark of a quote belongs to it."""
        self._to(at, column=self._column + indent + 1)
        if self._line[at : at + 1] in {" ", "\t"}:
            self._skip(1)

    def _to(self, at: int, *, column: int) -> None:
        self.at, self._column, self._spare = at, column, 0

    def _skip(self, columns: int) -> None:
        """Goes over so many columns of blanks."""
        goal = self._column + columns
        reached = self._column + self._spare
        while reached < goal and self.at < len(self._line):
            reached += 1 if self._line[self.at] == " " else 4 - reached % 4
            self.at += 1
        self._column, self._spare = goal, max(0, reached - goal)


def containers_of(line: str, *, open_before: tuple[int, ...], in_paragraph: bool) -> Containers:
    """Which of the open containers go on in a line, and which begin."""
    cursor = Cursor(line)
    old = 0
    for container in open_before:
        if not cursor.enter(container):
            break
        old += 1
    new: list[int] = []
    interrupts = in_paragraph and old == len(open_before)
    while old + len(new) < DEEPEST:
        opened = cursor.opened(interrupts=interrupts and not new)
        if opened is None:
            break
        new.append(opened)
    content, indent = cursor.blanks()
    return Containers(old=old, new=tuple(new), content=content, indent=indent)


def ends_paragraph(content: str, *, underlines: bool) -> bool:
    """Whether a line with this content is a heading, a rule or a fence, or underlines the paragraph before it."""
    if _HEADING.match(content) or _RULE.match(content) or _FENCE.match(content):
        return True
    return underlines and _UNDERLINE.match(content) is not None
