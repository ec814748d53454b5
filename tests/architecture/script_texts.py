"""Find the string literals of a script, without those in comments and regular expressions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

QUOTED: Final = re.compile(r'"((?:\\.|[^"\\\n])*)"|\'((?:\\.|[^\'\\\n])*)\'')
COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
PATTERN: Final = re.compile(r"/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*")
# After these a slash begins a regular expression; after a name or a bracket it is a division.
BEFORE_PATTERN: Final = re.compile(r"(?:^|[(,=:\[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case))\s*$")
CONTEXT_LENGTH: Final = 400  # characters before a literal, from which its use is recognized


@dataclass(frozen=True)
class ScriptText:
    """One string or template literal."""

    pieces: tuple[str, ...]
    """The parts between substitutions; one part if there are none."""
    before: str
    """The source before the literal."""
    line: int
    within: bool
    """Whether it is in a substitution of another template literal."""

    @property
    def whole(self) -> str:
        return "{}".join(self.pieces)


@cache
def texts_in(script: str) -> tuple[ScriptText, ...]:
    """Return the literals in the order of their ends. Several rules read each script."""
    return tuple(_Reader(script).texts())


class _Reader:
    def __init__(self, script: str) -> None:
        self.script = script
        self.found: list[ScriptText] = []

    def texts(self) -> list[ScriptText]:
        self.code(0, within=False)
        return self.found

    def code(self, at: int, *, within: bool) -> int:
        """Read to the end, or to the bracket that closes a substitution; return the index after it."""
        open_brackets = 0
        while at < len(self.script):
            character = self.script[at]
            if character == "}" and within and open_brackets == 0:
                return at + 1
            open_brackets += {"{": 1, "}": -1}.get(character, 0)
            at = self.step(at, within=within)
        return at

    def step(self, at: int, *, within: bool) -> int:
        """Read one comment, literal or regular expression, or one other character; return the index after it."""
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
            ScriptText(pieces=pieces, before=self.script[max(0, at - CONTEXT_LENGTH) : at], line=line, within=within)
        )
