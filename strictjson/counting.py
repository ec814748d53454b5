"""Counts the values in a JSON text before it is parsed, which costs far less memory than parsing it."""

from __future__ import annotations

import re

# A string that is not closed ends with the text: otherwise the search would start again at each of its quotes.
STRING = re.compile(rb'"[^"\\]*(?:\\(?:.|\Z)[^"\\]*)*(?:"|\Z)', re.DOTALL)


def has_more_values(raw: bytes, *, than: int) -> bool:
    """Return whether a JSON text holds more values than this; containers and their members all count.

    Of a text that is not JSON nothing follows but an upper bound.
    """
    # Commas in strings count too, so this is an upper bound. Few texts need the exact count.
    return _separators(raw) >= than and _separators(STRING.sub(b"", raw)) >= than


def _separators(raw: bytes) -> int:
    """Return the number of values without the outermost one, where no container is empty.

    Every value follows a comma or the opening bracket of its container; an empty container has no value, but is one.
    """
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{")
