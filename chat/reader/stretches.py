"""Where a stretch of one kind of character ends."""
from __future__ import annotations

import re

_RUNS = {"`": re.compile(r"`+"), "~": re.compile(r"~+")}
_SPACE = re.compile(r"\s*")
# After the run that may close a code block; with more than this on their line it closes none.
_BLANKS = re.compile(r"[ \t\r]{0,200}")


def end_of_run(text: str, at: int, *, of: str = "`") -> int:
    """Where the backticks (or tildes) that begin at `at` end; `at` itself where there are none."""
    found = _RUNS[of].match(text, at)
    return found.end() if found else at


def end_of_space(text: str, at: int) -> int:
    """Where the white space that begins at `at` ends; `at` itself where there is none."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


def end_of_blanks(text: str, at: int) -> int:
    """Where the spaces, tabs and carriage returns that begin at `at` end, or 200 of them."""
    found = _BLANKS.match(text, at)
    return found.end() if found else at
