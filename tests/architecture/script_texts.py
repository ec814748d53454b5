"""The texts that stand in a script: each with what comes right before it, comments and patterns left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

QUOTED: Final = re.compile(r'"((?:\\.|[^"\\\n])*)"|\'((?:\\.|[^\'\\\n])*)\'')
COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
PATTERN: Final = re.compile(r"/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*")
# After these a slash begins a pattern; after a name or a bracket it divides.
BEFORE_PATTERN: Final = re.compile(r"(?:^|[(,=:\[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case))\s*$")
BEFORE: Final = 400  # characters that tell what a text is for


@dataclass(frozen=True)
class ScriptText:
    """One text between quotes or backquotes."""

    pieces: tuple[str, ...]
    """What is written between the places where a value is put in; one piece for a text without any."""
    before: str
    """The script right before it."""
    line: int
    within: bool
    """Whether it stands in the place of a value within another text."""

    @property
    def whole(self) -> str:
        return "{}".join(self.pieces)


def texts_in(script: str) -> Iterator[ScriptText]:
    """In the order in which they end."""
    yield from _Reader(script).texts()


class _Reader:
    def __init__(self, script: str) -> None:
        self.script = script
        self.found: list[ScriptText] = []

    def texts(self) -> list[ScriptText]:
        self.code(0, within=False)
        return self.found

    def code(self, at: int, *, within: bool) -> int:
        """Up to the end, or to the bracket that closes the place of a value: the index after it."""
        open_brackets = 0
        while at < len(self.script):
            character = self.script[at]
            if character == "}" and within and open_brackets == 0:
                return at + 1
            open_brackets += {"{": 1, "}": -1}.get(character, 0)
            at = self.step(at, within=within)
        return at

    def step(self, at: int, *, within: bool) -> int:
        """Over one comment, text or pattern, or one character of anything else."""
        if comment := COMMENT.match(self.script, at):
            return comment.end()
        if quoted := QUOTED.match(self.script, at):
            self.add((quoted[1] or quoted[2] or "",), at=at, within=within)
            return quoted.end()
        if self.script[at] == "`":
            return self.template(at, within=within)
        divides = not BEFORE_PATTERN.search(self.script[max(0, at - 20) : at])
        if self.script[at] == "/" and not divides and (pattern := PATTERN.match(self.script, at)):
            return pattern.end()
        return at + 1

    def template(self, start: int, *, within: bool) -> int:
        pieces = [""]
        at = start + 1
        while self.script[at] != "`":
            if self.script.startswith("${", at):
                at = self.code(at + 2, within=True)
                pieces.append("")
                continue
            length = 2 if self.script[at] == "\\" else 1
            pieces[-1] += self.script[at : at + length]
            at += length
        self.add(tuple(pieces), at=start, within=within)
        return at + 1

    def add(self, pieces: tuple[str, ...], *, at: int, within: bool) -> None:
        line = self.script.count("\n", 0, at) + 1
        self.found.append(
            ScriptText(pieces=pieces, before=self.script[max(0, at - BEFORE) : at], line=line, within=within)
        )
