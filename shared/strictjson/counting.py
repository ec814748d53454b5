"""Counts the values in a JSON text before it is parsed, which costs far less memory than parsing it."""

from __future__ import annotations

import re

# A string that is not closed ends with the text: otherwise the search would start again at each of its quotes.
STRING = re.compile(rb'"[^"\\]*(?:\\(?:.|\Z)[^"\\]*)*(?:"|\Z)', re.DOTALL)


# Bytes that are counted first: a text with far too many values is recognized by its beginning. One statement that
# counts in a long text would keep all other threads waiting.
FIRST = 1024 * 1024


def has_more_values(raw: bytes, *, than: int) -> bool:
    """Return whether a JSON text holds more values than this; containers and their members all count.

    Of a text that is not JSON nothing follows but an upper bound.
    """
    # Commas in strings count too, so this is an upper bound. Few texts need the exact count.
    if not _has_separators(raw, least=than):
        return False
    end = FIRST
    while end < len(raw):
        if _has_separators(STRING.sub(b"", raw[:end]), least=than):
            return True
        end *= 4
    return _has_separators(STRING.sub(b"", raw), least=than)


def _has_separators(raw: bytes, *, least: int) -> bool:
    """Return whether a text holds so many values besides the outermost one, where no container is empty.

    Every value follows a comma or the opening bracket of its container; an empty container has no value, but is one.
    """
    count = 0
    for start in range(0, len(raw), FIRST):
        part = start, start + FIRST
        count += raw.count(b",", *part) + raw.count(b"[", *part) + raw.count(b"{", *part)
        if count >= least:
            return True
    return count >= least
