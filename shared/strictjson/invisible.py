"""Invisible characters. A text of nothing else counts as blank, and names that differ only in them as equal."""

from __future__ import annotations

import re

# Unicode's Default_Ignorable_Code_Point, interlinear annotation marks, and the blank Braille pattern.
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def strip_invisible(text: str) -> str:
    """Return the text without invisible characters."""
    return text if text.isascii() else INVISIBLE.sub("", text)


def is_blank(text: str) -> bool:
    """Return whether a text consists only of white space and invisible characters."""
    return not strip_invisible(text).strip()
