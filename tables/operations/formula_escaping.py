"""Text in files of comma-separated values: what a spreadsheet would take for a formula is escaped, and comes back."""
from __future__ import annotations

import re

# What spreadsheets compute when a cell begins with it, behind any number of our own escapes. A NUL stands here for
# readers that skip it.
FORMULA = re.compile("'*[=+\\-@\t\r\n\0＝＋－＠]")


def escaped(text: str) -> str:
    """The text with a `'` before it where it, or what it would be read back as, begins like a formula."""
    return f"'{text}" if FORMULA.match(text) else text


def unescaped(text: str) -> str:
    """What was escaped; a `'` that is no escape stays."""
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text
