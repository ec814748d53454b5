"""Formats of numbers, amounts of money and dates by locale: those of Babel, corrected where browsers have newer ones.

Numbers have Western digits and dates the Gregorian calendar in all locales, as in `static/locale.js`.
"""
from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache

from babel import Locale
from babel.dates import format_date, format_time
from babel.numbers import get_currency_symbol

from shared.locales.tags import DEFAULT, known_tag

NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
NARROW_SPACE = "\N{NARROW NO-BREAK SPACE}"
_DIGITS = re.compile(r"[#0,.]+")
# CLDR's minimumGroupingDigits, which Babel does not have: four digits are written without a separator.
_FOUR_DIGITS_UNGROUPED = frozenset(
    "bg bg-BG es es-EA es-ES es-IC es-PH et et-EE hu hu-HU it it-CH it-IT it-SM it-VA lv lv-LV pl pl-PL pt-CH pt-GQ"
    " pt-GW pt-LU pt-MO pt-MZ pt-PT pt-ST pt-TL ru-UA sl sl-SI".split()
)
# Separators that are newer in browsers than in Babel.
_GROUPS = {"de-AT": NO_BREAK_SPACE, "de-CH": "'", "it-CH": "'"}
# Between a date and a time, by language.
_DATE_AND_TIME = {**dict.fromkeys("bn da et id kn pt sw".split(), "{1}, {0}"), "fi": "{1} klo {0}", "fa": "{1}، {0}"}
_HALF_DAYS = {"ko": {"AM": "오전", "PM": "오후"}}


@dataclass(frozen=True)
class NumberSigns:
    """How a locale writes numbers; the default is English.

    `sizes`: digits of the last group and of those before it; `min_digits`: digits of an integer with a separator.
    `percent` has {number}, `money` and `negative_money` have {symbol} and {amount}; "" for the sign before `money`.
    """

    tag: str = DEFAULT
    decimal: str = "."
    group: str = ","
    minus: str = "-"
    sizes: tuple[int, int] = (3, 3)
    min_digits: int = 4
    percent: str = "{number}%"
    money: str = "{symbol}{amount}"
    negative_money: str = ""
    money_decimal: str = "."
    money_group: str = ","
    money_sizes: tuple[int, int] = (3, 3)

    def number(self, digits: str, *, grouped: bool = False) -> str:
        """Return a number like 1234.50 or -5, of ASCII digits, in the locale."""
        group = self.group if grouped else ""
        text = self._joined(digits.removeprefix("-"), decimal=self.decimal, group=group, sizes=self.sizes)
        return self.minus + text if digits.startswith("-") else text

    def percentage(self, digits: str) -> str:
        """Return the text of a percentage, whose number is in ASCII digits."""
        text = self.percent.format(number=self.number(digits.removeprefix("-"), grouped=True))
        return self.minus + text if digits.startswith("-") else text

    def amount(self, digits: str, *, currency: str) -> str:
        """Return the text of an amount of money, whose number is in ASCII digits, in a currency like EUR."""
        is_negative = digits.startswith("-")
        signs = {"decimal": self.money_decimal, "group": self.money_group}
        amount = self._joined(digits.removeprefix("-"), **signs, sizes=self.money_sizes)
        symbol = currency_symbol(currency, tag=self.tag)
        pattern = self.negative_money if is_negative and self.negative_money else self.money
        after, before = symbol_spaces(pattern, symbol=symbol)
        text = pattern.format(symbol=after + symbol + before, amount=amount)
        return self.minus + text if is_negative and not self.negative_money else text

    def _joined(self, digits: str, *, decimal: str, group: str, sizes: tuple[int, int]) -> str:
        whole, _, fraction = digits.partition(".")
        last, others = sizes
        if group and len(whole) >= self.min_digits:
            parts, rest = [whole[-last:]], whole[:-last]
            while rest:
                parts.insert(0, rest[-others:])
                rest = rest[:-others]
            whole = group.join(parts)
        return f"{whole}{decimal}{fraction}" if fraction else whole


@lru_cache(maxsize=500)
def number_signs(tag: str) -> NumberSigns:
    """Return how a locale writes numbers."""
    tag = known_tag(tag) or DEFAULT
    locale = _locale(tag)
    signs = locale.number_symbols["latn"]
    minus, group = signs["minusSign"], _GROUPS.get(tag, signs["group"])
    sizes = _group_sizes(locale.decimal_formats[None].pattern)
    before, _, after = _parts(locale.percent_formats[None].pattern)
    positive, _, negative = locale.currency_formats["standard"].pattern.partition(";")
    return NumberSigns(
        tag=tag,
        decimal=signs["decimal"],
        group=group,
        minus=minus,
        sizes=sizes,
        min_digits=sizes[0] + (2 if tag in _FOUR_DIGITS_UNGROUPED else 1),
        percent=f"{before}{{number}}{after}".replace("%", signs["percentSign"]),
        money=_money_pattern(positive, minus=minus),
        negative_money=_money_pattern(negative, minus=minus) if negative else "",
        money_decimal=signs.get("currencyDecimal") or signs["decimal"],
        money_group=signs.get("currencyGroup") or group,
        money_sizes=_group_sizes(positive),
    )


# Few currencies and locales are used, but for each cell.
@lru_cache(maxsize=1_000)
def currency_symbol(currency: str, *, tag: str) -> str:
    """Return the symbol of a currency in a locale, else its code."""
    return str(get_currency_symbol(currency, locale=_locale(tag))) if currency else "¤"


# The rows of a table have few different days.
@lru_cache(maxsize=4_096)
def day_text(day: date, *, tag: str) -> str:
    """Return a day in the locale: “Nov 24, 2026”, “24.11.2026”."""
    return _plain_spaces(format_date(day, "medium", locale=_locale(tag)))


def moment_text(local: datetime, *, tag: str) -> str:
    """Return a date and a time of day in the locale: “Nov 24, 2026, 3:05 PM”, “24.11.2026, 15:05”."""
    # Times that are equal in different time zones have different texts.
    return _moment_text(local.replace(tzinfo=None, second=0, microsecond=0, fold=0), tag=tag)


@lru_cache(maxsize=4_096)
def _moment_text(local: datetime, *, tag: str) -> str:
    language = tag.split("-")[0]
    clock = _plain_spaces(format_time(local.time(), "short", locale=_locale(tag)))
    for english, own in _HALF_DAYS.get(language, {}).items():
        clock = clock.replace(english, own)
    pattern = date_and_time_pattern(tag)
    return pattern.replace("{1}", day_text(local.date(), tag=tag)).replace("{0}", clock)


def date_and_time_pattern(tag: str) -> str:
    """Return how a day {1} and a time {0} are joined in a locale."""
    joined = _DATE_AND_TIME.get(tag.split("-")[0])
    return joined or str(_locale(tag).datetime_formats["medium"]).replace("'", "")


def symbol_spaces(pattern: str, *, symbol: str) -> tuple[str, str]:
    """Return the space between an amount and the symbol after it, and that between the symbol and the amount."""
    after = NO_BREAK_SPACE if "{amount}{symbol}" in pattern and _needs_space(symbol[0]) else ""
    before = NO_BREAK_SPACE if "{symbol}{amount}" in pattern and _needs_space(symbol[-1]) else ""
    return after, before


def _plain_spaces(text: str) -> str:
    """Return a date or time without narrow spaces, which only some browsers have; scripts replace them, too."""
    return text.replace(NARROW_SPACE, " ")


def _locale(tag: str) -> Locale:
    return Locale.parse(tag, sep="-")


def _parts(pattern: str) -> tuple[str, str, str]:
    """Return what is before the digits of a pattern, its digits, and what is after them."""
    positive = pattern.partition(";")[0]
    found = _DIGITS.search(positive)
    if found is None:
        raise ValueError(pattern)
    return positive[: found.start()], found[0], positive[found.end() :]


def _group_sizes(pattern: str) -> tuple[int, int]:
    """Return the number of digits of the last group in a pattern like #,##,##0.00, and of those before it."""
    groups = [len(part) for part in _parts(pattern)[1].split(".")[0].split(",")]
    return groups[-1], groups[-2] if len(groups) > 2 else groups[-1]


def _money_pattern(pattern: str, *, minus: str) -> str:
    before, _, after = _parts(pattern)
    return f"{before}{{amount}}{after}".replace("-", minus).replace("¤", "{symbol}")


def _needs_space(character: str) -> bool:
    """Return whether a symbol with this letter at its side is written apart from the digits, as CLDR says."""
    return unicodedata.category(character)[0] not in "SZ"
