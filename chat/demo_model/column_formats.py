"""Formats of columns in requests: "euros", "currency in SEK", "thousands separators", and their names in answers."""

import re
from collections.abc import Mapping
from typing import Any

from chat.demo_model.column_guesses import KINDS
from chat.demo_model.english import match, normalize, without_article
from chat.demo_model.reply import Unclear

Json = dict[str, Any]
MONEY = KINDS["currency"]
_CURRENCIES = {
    r"euros?|eur|€": "EUR",
    r"(?:us )?dollars?|usd|\$": "USD",
    r"(?:british )?pounds?|gbp|£": "GBP",
    r"(?:swiss )?francs?|chf": "CHF",
    r"(?:japanese )?yen|jpy|¥": "JPY",
}
_WITH_CURRENCY = r"(?:currency|money),?(?: in| of)? (.+)|(.+) currency"
_FORMATS: tuple[tuple[str, Json], ...] = (
    (r"dates? with times?|times?", KINDS["date and time"]),
    (r"web addresse?s?|links?|urls?", KINDS["link"]),
    (r"percent(?:ages?)?|%", KINDS["percent"]),
    (r"stars|ratings?", KINDS["rating"]),
    (r"durations?|hours(?: and minutes)?", KINDS["duration"]),
    (r"(?:numbers? with )?thousands separators?", KINDS["number"] | {"format": "thousands"}),
    (r"(?:plain )?numbers?", KINDS["number"] | {"format": "plain"}),
    (r"(?:several|multiple|more than one) (?:options?|values?|choices?)", KINDS["multiple select"]),
)


def read_format(text: str) -> Json | None:
    """Return the type (as `kind`) and the settings in the words for a format, None for other words."""
    words = without_article(text)
    found = match(_WITH_CURRENCY, words)
    if currency := read_currency(found[1] or found[2]) if found else _named_currency(words):
        return MONEY | {"currency": currency}
    kind = KINDS.get(normalize(words), {})
    return next((each for form, each in _FORMATS if match(form, words)), kind if "format" in kind else None)


def read_currency(text: str) -> str:
    """Return the code of a currency ("euros", "sek"), "" for other texts."""
    words = text.strip()
    return _named_currency(words) or (words.upper() if re.fullmatch(r"[A-Za-z]{3}", words) else "")


def _named_currency(words: str) -> str:
    return next((code for names, code in _CURRENCIES.items() if match(names, words)), "")


def require_currency(settings: Mapping[str, Any], *, name: str, known: Mapping[str, Any]) -> None:
    """Check that an amount of money has a currency, given or `known`. Raises Unclear."""
    if settings.get("format") == MONEY["format"] and not (settings.get("currency") or known.get("currency")):
        raise Unclear(f"In which currency is {name}? Say it again with “in EUR” or another currency at the end.")


def describe_type(definition: Mapping[str, Any]) -> str:
    """Return the type and format of a column in words: "text", "percent", "currency in USD"."""
    kind = {"kind": definition["type"]} | ({"format": definition["format"]} if "format" in definition else {})
    other = " ".join(str(each) for each in reversed(kind.values()))
    words = next((words for words, each in KINDS.items() if each == kind), other)
    return f"{words} in {definition['currency']}" if definition.get("currency") else words
