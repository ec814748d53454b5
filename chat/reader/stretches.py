"""Where a stretch of one kind of character ends."""
from __future__ import annotations

import re

_TICKS = re.compile(r"`+")
_SPACE = re.compile(r"\s*")


def end_of_ticks(text: str, at: int) -> int:
    """Where the backticks that begin at `at` end; `at` itself where there are none."""
    found = _TICKS.match(text, at)
    return found.end() if found else at


def end_of_space(text: str, at: int) -> int:
    """Where the white space that begins at `at` ends; `at` itself where there is none."""
    found = _SPACE.match(text, at)
    return found.end() if found else at
