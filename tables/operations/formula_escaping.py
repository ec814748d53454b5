"""Escaping of text in CSV files that a spreadsheet would evaluate as a formula."""
from __future__ import annotations

import re

# Spreadsheets evaluate cells that begin like this. Escapes before it count, so that unescaping is unambiguous; NUL is
# included for readers that skip it.
FORMULA_START = re.compile("'*[=+\\-@\t\r\n\0＝＋－＠]")


def escape_formula(text: str) -> str:
    """Return the text, with a `'` before it if it, or its unescaped form, begins like a formula."""
    return f"'{text}" if FORMULA_START.match(text) else text


def unescape_formula(text: str) -> str:
    """Return the text without its escape; a `'` that is not an escape is not removed."""
    return text[1:] if text.startswith("'") and FORMULA_START.match(text) else text
