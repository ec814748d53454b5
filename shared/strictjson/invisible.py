"""Characters without a visible form: a text of nothing else is empty, and names that differ in them are equal."""

from __future__ import annotations

import re

# Unicode's Default_Ignorable_Code_Point, interlinear annotation marks, and the blank Braille pattern.
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def without_invisible(text: str) -> str:
    """Return the text without characters that leave no mark."""
    return text if text.isascii() else INVISIBLE.sub("", text)


def is_blank(text: str) -> bool:
    """Return whether a text shows nothing: white space and characters that leave no mark."""
    return not without_invisible(text).strip()
