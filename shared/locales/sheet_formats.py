"""Number formats of workbooks that show dates and amounts of money as pages do in a locale.

Spreadsheets show digits and separators in the language of the program; the order and all signs are those of the locale.
"""
from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from babel import Locale

from shared.locales.formats import NARROW_SPACE, NumberSigns, date_and_time_pattern, symbol_spaces

ISO_DAY, ISO_TIME = "yyyy-mm-dd", "hh:mm"
PERCENT_SIGNS = "%٪"
# Fields of CLDR patterns; a text between apostrophes is literal.
_FIELD = re.compile(r"'([^']*)'|([A-Za-z])\2*|.", re.DOTALL)
_CODES: Mapping[str, str] = {
    "y": "yyyy", "M": "m", "MM": "mm", "MMM": "mmm", "d": "d", "dd": "dd",
    "h": "h", "hh": "hh", "H": "h", "HH": "hh", "mm": "mm", "a": "AM/PM",
}  # fmt: skip


@lru_cache(maxsize=500)
def day_format(tag: str) -> str:
    """Return the format of days in a locale: “mmm d, yyyy”, “dd\\.mm\\.yyyy”."""
    return _converted(Locale.parse(tag, sep="-").date_formats["medium"].pattern) or ISO_DAY


@lru_cache(maxsize=500)
def moment_format(tag: str) -> str:
    """Return the format of days with a time in a locale: “mmm d, yyyy, h:mm AM/PM”."""
    clock = _converted(Locale.parse(tag, sep="-").time_formats["short"].pattern) or ISO_TIME
    parts = re.split(r"(\{[01]\})", date_and_time_pattern(tag))
    written = {"{1}": day_format(tag), "{0}": clock}
    return "".join(written.get(part) or _literal(part) for part in parts)


def percent_format(signs: NumberSigns, *, places: int) -> str:
    """Return the format of percentages with these decimal places."""
    # A percent sign in a literal would not multiply the number by 100.
    return "".join(
        _digits(places) if part == "{number}" else "%" if part and part in PERCENT_SIGNS else _literal(part)
        for part in re.split(rf"(\{{number\}}|[{PERCENT_SIGNS}])", signs.percent)
    )


def money_format(signs: NumberSigns, *, symbol: str, places: int) -> str:
    """Return the format of amounts of money. The symbol may have the code of a language, as in `$-1009`."""
    sections = [signs.money, *([signs.negative_money] if signs.negative_money else [])]
    return ";".join(_money(each, symbol=symbol, places=places) for each in sections)


def _money(pattern: str, *, symbol: str, places: int) -> str:
    after, before = symbol_spaces(pattern, symbol=symbol.partition("-")[0])
    written = {"{symbol}": f"{_literal(after)}[${symbol}]{_literal(before)}", "{amount}": _digits(places)}
    return "".join(written.get(part) or _literal(part) for part in re.split(r"(\{[a-z]+\})", pattern))


def _digits(places: int) -> str:
    return f"#,##0.{'0' * places}" if places else "#,##0"


def _converted(pattern: str) -> str:
    """Return a CLDR pattern as a format; "" if spreadsheets do not have one of its fields."""
    parts = []
    for found in _FIELD.finditer(pattern.replace(NARROW_SPACE, " ")):
        if found[2]:
            if found[0] not in _CODES:
                return ""
            parts.append(_CODES[found[0]])
        else:
            parts.append(_literal(found[1] if found[1] is not None else found[0]))
    return "".join(parts)


def _literal(text: str) -> str:
    """Return a text as one that formats show as it is. Spreadsheets need no marks for some signs."""
    if not text or re.fullmatch(r"[ :%\-]+", text):
        return text
    return f"\\{text}" if len(text) == 1 else '"' + text.replace('"', "") + '"'
