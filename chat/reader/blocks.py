"""Follow the Markdown blocks of a text as far as code depends on them: quotes, lists and paragraphs."""
from __future__ import annotations

import re
from copy import copy as shallow_copy
from typing import NamedTuple

QUOTE = 0  # a container is either this, or for a list item the indent of its content in columns
MAX_BLOCK_DEPTH = 32  # marks of deeper blocks are text
MAX_INFO_LENGTH = 200  # of the text after an opening fence

# The start of a line that continues a paragraph, whatever else it contains.
PLAIN_LINE = re.compile(r"[^\s>#*+\-_=0-9`~]")
# Stands for the following text, which is not blank and does not follow a fence.
_PLACEHOLDER = "x`"
_ITEM = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?=[ \t\r]|\Z)")
_RULE = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\r?\Z")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t\r]*\Z")
_HEADING = re.compile(r"#{1,6}(?:[ \t\r]|\Z)")
_FENCE = re.compile(rf"~{{3,}}|`{{3,}}(?!`)(?![^`\n]{{0,{MAX_INFO_LENGTH - 1}}}`)")


class Containers(NamedTuple):
    """The containers of a line: how many of the open ones it continues, and those it starts.

    Its content starts at the position `content`, after `indent` columns of blanks.
    """

    continued: int
    new: tuple[int, ...]
    content: int
    indent: int


class LineCursor:
    """A position in the blanks and marks at the start of a line. Tab stops are multiples of four columns."""

    def __init__(self, line: str, *, at: int = 0) -> None:
        self._line = line
        self.at = at
        self._column = 0
        self._spare = 0  # remaining columns of a tab that is partly used

    def enter(self, container: int) -> bool:
        """Skip the marks or the indent of an open container; return whether the line continues it."""
        at, indent = self.measure_blanks()
        if container != QUOTE:
            if at < len(self._line) and self._line[at] != "\r" and indent < container:
                return False
            self._skip(min(indent, container))
            return True
        if indent > 3 or not self._line.startswith(">", at):
            return False
        self._start_content(at + 1, indent=indent)
        return True

    def open_container(self, *, interrupts: bool) -> int | None:
        """Skip the mark of a container that starts here and return the container, or None.

        `interrupts`: it would interrupt a paragraph, which some list items may not.
        """
        at, indent = self.measure_blanks()
        if indent > 3:
            return None
        if self._line.startswith(">", at):
            self._start_content(at + 1, indent=indent)
            return QUOTE
        found = _ITEM.match(self._line, at)
        if found is None or _RULE.match(self._line, at):
            return None
        empty = not self._line[found.end() :].strip(" \t\r")
        if interrupts and (empty or found[1] not in {None, "1"}):
            return None
        width = found.end() - at
        self._move(found.end(), column=self._column + indent + width)
        _, gap = self.measure_blanks()
        gap = 1 if empty or gap > 4 else gap
        self._skip(gap)
        return indent + width + gap

    def measure_blanks(self) -> tuple[int, int]:
        """Return the end of the blanks at this position, and their width in columns."""
        at, column = self.at, self._column + self._spare
        while at < len(self._line) and self._line[at] in " \t":
            column += 1 if self._line[at] == " " else 4 - column % 4
            at += 1
        return at, column - self._column

    def _start_content(self, at: int, *, indent: int) -> None:
        """Move after the mark of a quote, to which one blank belongs."""
        self._move(at, column=self._column + indent + 1)
        if self._line[at : at + 1] in {" ", "\t"}:
            self._skip(1)

    def _move(self, at: int, *, column: int) -> None:
        self.at, self._column, self._spare = at, column, 0

    def _skip(self, columns: int) -> None:
        """Skip this number of columns of blanks."""
        goal = self._column + columns
        reached = self._column + self._spare
        while reached < goal and self.at < len(self._line):
            reached += 1 if self._line[self.at] == " " else 4 - reached % 4
            self.at += 1
        self._column, self._spare = goal, max(0, reached - goal)


def find_containers(line: str, *, open_containers: tuple[int, ...], in_paragraph: bool) -> Containers:
    """Return which of the open containers a line continues, and which it starts."""
    cursor = LineCursor(line)
    continued = 0
    for container in open_containers:
        if not cursor.enter(container):
            break
        continued += 1
    new: list[int] = []
    interrupts = in_paragraph and continued == len(open_containers)
    while continued + len(new) < MAX_BLOCK_DEPTH:
        opened = cursor.open_container(interrupts=interrupts and not new)
        if opened is None:
            break
        new.append(opened)
    content, indent = cursor.measure_blanks()
    return Containers(continued=continued, new=tuple(new), content=content, indent=indent)


def ends_paragraph(content: str, *, underlines: bool) -> bool:
    """Whether a line with this content is a heading, a rule or a fence, or underlines the paragraph before it."""
    if _HEADING.match(content) or _RULE.match(content) or _FENCE.match(content):
        return True
    return underlines and _UNDERLINE.match(content) is not None


class BlockTracker:
    """The blocks at the end of a text. Added text is only processed, line by line, when they are needed."""

    def __init__(self) -> None:
        self.pending: list[str] = []  # text that is not processed yet
        self.add = self.pending.append
        self._last = ""  # the last processed character
        self._slashes = 0  # backslashes at the end of the processed text
        self._line_start: list[str] = []  # the current line, while it may have only blanks and marks
        self._line_entered = False  # whether the containers of the current line are known
        self._in_paragraph = False
        self._indent = 0
        self._may_start_block = True
        self._open_containers: tuple[int, ...] = ()
        self._ends_with_empty_item = False  # whether the last line was an empty list item, which a blank line ends
        self._continued = 0  # how many of the open containers the current line continues
        self.paragraph = 0  # number of the paragraph or heading: inline code ends with it
        self.at_block_start = False  # whether a block may start at the position of the last `update`

    def after_word(self) -> bool:
        """Whether the last character is a letter, a digit or `_`."""
        last = self.pending[-1][-1:] if self.pending else self._last
        return last.isalnum() or last == "_"

    def update(self) -> None:
        """Update `paragraph` and `at_block_start` to the end of the text, after which something not blank follows."""
        if self.pending:
            text = "".join(self.pending)
            self.pending.clear()
            self._process(text)
        if not self._line_entered:
            before = "".join(self._line_start)
            content = self._enter_line(before + _PLACEHOLDER)
            self.at_block_start = self._may_start_block and content == len(before)

    def is_escaped(self) -> bool:
        """Whether the position of the last `update` is after an escaping backslash."""
        return self._slashes % 2 == 1

    def continues_paragraph(self, text: str) -> bool:
        """Add a whole line after the position of the last `update`; return whether it continues the paragraph."""
        paragraph = self.paragraph
        self._enter_line(text)
        return self.paragraph == paragraph

    def process_pending(self) -> None:
        """Process the pending text to free memory; this changes no result."""
        if self.pending:
            text = "".join(self.pending)
            self.pending.clear()
            self._process(text)
        is_new = not self._line_entered and not self._open_containers
        if is_new and self._line_start and PLAIN_LINE.match(self._line_start[0]):
            # The rest of this line does not matter, so that an endless line is not stored.
            self._enter_line(self._line_start[0])
            self._line_start = []

    def copy(self) -> BlockTracker:
        """Return a copy, to look ahead."""
        other = shallow_copy(self)
        other.pending = []
        other.add = other.pending.append
        other._line_start = [*self._line_start]
        return other

    def begin_code(self) -> tuple[tuple[int, ...], int]:
        """Start a code block at the position of the last `update`, and return its containers and its indent."""
        self._open_containers = self._open_containers[: self._continued]
        self._end_paragraph()
        return self._open_containers, self._indent

    def end_code(self, *, fence: str) -> None:
        """End the code block after this fence, or without one at the start of a line outside of its containers."""
        self._last = fence[-1:] or "\n"
        self._slashes = 0
        self._line_start, self._line_entered, self.at_block_start = [], bool(fence), False

    def _process(self, text: str) -> None:
        self.at_block_start = False
        last = text[-1:]
        if last == "\\":
            bare = text.rstrip("\\")
            self._slashes = len(text) - len(bare) + (0 if bare else self._slashes)
        else:
            self._slashes = 0
        self._last = last
        if "\n" not in text:
            if not self._line_entered:
                self._line_start.append(text)
            return
        first, *lines = text.split("\n")
        if not self._line_entered:
            self._enter_line("".join([*self._line_start, first]))
        last_line = lines.pop()
        self._line_start = [last_line] if last_line else []
        for line in lines:
            self._enter_line(line)
        self._line_entered = False

    def _enter_line(self, line: str) -> int:
        """Process a line, or enough of it to know its containers, and return the position of its content."""
        self._line_entered = True
        if not self._open_containers and PLAIN_LINE.match(line):  # fast path
            self._indent = self._continued = 0
            self._may_start_block, self._ends_with_empty_item = True, False
            if not self._in_paragraph:
                self._start_paragraph()
            return 0
        containers = find_containers(line, open_containers=self._open_containers, in_paragraph=self._in_paragraph)
        content = line[containers.content :].rstrip("\r")
        continues = self._in_paragraph and not containers.new
        continues_all = containers.continued == len(self._open_containers)
        underlines = continues and continues_all
        is_text = bool(content) and (containers.indent > 3 or not ends_paragraph(content, underlines=underlines))
        # An indent of four columns within a paragraph is text; elsewhere a fence is read as one, as models mean it so.
        self._may_start_block = containers.indent < 4 or not continues
        self._indent = containers.indent
        self._continued = containers.continued + len(containers.new)
        if not (continues and is_text):
            # Only a paragraph can continue in a line without the marks of its containers.
            item_ends = self._ends_with_empty_item and not content and not containers.new and continues_all
            self._open_containers = (*self._open_containers[: containers.continued - item_ends], *containers.new)
            self._end_paragraph()
        self._ends_with_empty_item = not content and containers.new[-1:] not in {(), (QUOTE,)}
        if is_text and not self._in_paragraph:
            self._start_paragraph()
        return containers.content

    def _start_paragraph(self) -> None:
        self.paragraph += 1
        self._in_paragraph = True

    def _end_paragraph(self) -> None:
        self.paragraph += 1
        self._in_paragraph = False
