"""Number formats of workbooks: the settings of a column that they mean, and those of ratings and currencies."""
from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from tables.column_types.number_currencies import (
    CURRENCIES,
    CURRENCY_OF_LANGUAGE,
    CURRENCY_OF_SIGN,
    CURRENCY_OF_SYMBOL,
)

Settings = Mapping[str, Any]
MAX_PLACES = 6
DEFAULT_PLACES = 2
DEFAULT_STARS = 5
# A quoted text, an escaped character, a space as wide as a character, a filling character, or brackets.
LITERAL = re.compile(r'"([^"]*)"|\\(.)|_.|\*.|\[([^\]]*)\]')
# In brackets: the symbol of a currency with the code of a language, both optional.
CURRENCY = re.compile(r"\$([^-]*)(?:-([0-9A-Fa-f]+))?")
FIRST_SECTION = re.compile(r'(?:"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|[^;])*')
GROUPED = re.compile(r"[#0?],[#0?]{3}")
# A comma after the last digit shows thousands or millions; an E, powers of ten.
SCALED = re.compile(r"[#0?.],+(?![#0?,])|E", re.IGNORECASE)
FIXED = re.compile(r"#?0(?:\.(0+))?")
# Ratings are numbers followed by the number of stars.
RATING = re.compile(r'0" / ([1-9]|10) ★"')


def detect_sheet_settings(formats: Sequence[str]) -> Settings:
    """Return the settings that all these number formats mean: percent, a currency, thousands or decimal places."""
    found = [_settings_of(code) for code in formats]
    return found[0] if found and all(each == found[0] for each in found) else {}


def sheet_rating(maximum: int) -> str:
    """Return the number format of ratings, which shows 3 of 5 stars as “3 / 5 ★”."""
    return f'0" / {maximum} ★"'


def sheet_symbol(shown: str, *, currency: str) -> str:
    """Return the symbol of a currency in a number format, with a language if others are shown with it.

    It is the code if no language decides which currency it is.
    """
    languages = (code for code, each in CURRENCY_OF_LANGUAGE.get(shown, {}).items() if each == currency)
    written = (shown, *(f"{shown}-{code.upper()}" for code in languages))
    return next((each for each in written if _settings_of(f"[${each}]0").get("currency") == currency), currency)


def _settings_of(code: str) -> Settings:
    if rating := RATING.fullmatch(code):
        return {"format": "rating", **({} if int(rating[1]) == DEFAULT_STARS else {"maximum": int(rating[1])})}
    section = FIRST_SECTION.match(code)
    text = section[0] if section else ""
    digits = LITERAL.sub("", text)
    if "%" in digits:
        return {"format": "percent"}
    if currency := _currency_of(text, digits=digits):
        return {"format": "currency", "currency": currency}
    if GROUPED.search(digits) and not SCALED.search(digits):
        return {"format": "thousands"}
    fixed = FIXED.fullmatch(digits.strip())
    # Whole numbers with a unit are shown without it, so that they are plain.
    if fixed and (fixed[1] or digits == text):
        places = len(fixed[1] or "")
        if places <= MAX_PLACES:
            return {"format": "decimal", **({} if places == DEFAULT_PLACES else {"places": places})}
    return {}


def _currency_of(text: str, *, digits: str) -> str:
    """Return the code of the currency in a number format; "" if there is none, or if it is not certain."""
    if not re.search(r"[0#?]", digits):
        return ""
    for found in LITERAL.finditer(text):
        named = CURRENCY.fullmatch(found[3] or "")
        if named and (currency := _currency(named[1].strip(), language=(named[2] or "").lstrip("0").lower())):
            return currency
    words = "".join(found[1] or found[2] or "" for found in LITERAL.finditer(text)).strip()
    signs = "".join(each for each in digits if unicodedata.category(each) == "Sc")
    return _currency(words, language="") or _currency(signs, language="")


def _currency(symbol: str, *, language: str) -> str:
    if symbol in CURRENCIES:
        return symbol
    by_language = CURRENCY_OF_LANGUAGE.get(symbol, {})
    if language and by_language:
        return by_language.get(language, "")
    return CURRENCY_OF_SYMBOL.get(symbol) or CURRENCY_OF_SIGN.get(symbol, "")
