"""The formats of number columns. A format only changes how values are shown and typed, and restricts new values."""
from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Any, ClassVar

from shared.locales.formats import currency_symbol
from shared.locales.sheet_formats import money_format, percent_format
from shared.user_messages import declare
from tables.column_types.display_locale import DisplayLocale
from tables.column_types.faults import ValueFault, shown
from tables.column_types.names import did_you_mean
from tables.column_types.number_currencies import (
    CURRENCIES,
    CURRENCY_OF_SIGN,
    is_sign_of,
    places_of,
    sign_of,
    split_code,
)
from tables.column_types.number_sheet_formats import DEFAULT_PLACES, DEFAULT_STARS, sheet_rating, sheet_symbol
from tables.column_types.number_values import SIGNS, check_number, normal_number, read_decimal, read_number
from tables.column_types.settings import Setting, choice_setting, number_setting
from tables.column_types.value_texts import number_text, plain_number

UNKNOWN_CURRENCY = declare("unknown_currency", "currency must be the code of a currency, like EUR or USD.{hint}")
OTHER_CURRENCY = declare("other_currency", "{value:quoted} is not an amount in {currency}.")
NOT_A_RATING = declare("not_a_rating", "{value:quoted} is not a rating. Enter a whole number from 0 to {maximum}.")
NOT_A_DURATION = declare("not_a_duration", "{value:quoted} is not a duration like 1:30, 90 min or 1.5 h.")
Settings = Mapping[str, Any]
Number = int | float

# Larger numbers are shown with the digits that the stored float determines.
MAX_SHOWN = 10**15
MIN_SHOWN = 1e-6
MAX_PLACES = 12
MAX_PERCENT_PLACES = 2
CONTEXT = Context(prec=400)
STAR, EMPTY_STAR = "★", "☆"
STARS = re.compile("(★{0,10})☆{0,10}")
AMOUNT_WITH_COMMA = re.compile(r"([-+\u2212]?[0-9]+),([0-9]{1,2})")
# Minutes and seconds below 60; a comma in units is a decimal one, and three digits after it may be thousands.
CLOCK = re.compile(r"([0-9]{1,12}):([0-5][0-9])(?::([0-5][0-9]))?")
_UNIT = r"([0-9]{{1,12}}(?:\.[0-9]{{1,9}}|,[0-9]{{1,2}})?)\s*(?:{})\.?"
UNITS = re.compile(
    rf"(?:{_UNIT.format('h|hrs?|hours?|std|stunden?')})?\s*(?:{_UNIT.format('m|mins?|minutes?|minuten?')}|([0-5][0-9]))?"
    rf"\s*(?:{_UNIT.format('s|secs?|seconds?|sek|sekunden?')})?",
    re.IGNORECASE,
)
MAX_DURATION_LENGTH = 60
MINUTES_OF_DAY = 24 * 60
MAX_SHEET_DAYS = 2_958_465  # until the year 9999, the last of spreadsheets


class NumberFormat:
    """A format; `settings` are those that the column has. The base class is the plain format.

    `unit` tells models what stored numbers mean, "" if it is what they show.
    """

    name: ClassVar[str] = "plain"
    label: ClassVar[str] = "Plain"
    unit: ClassVar[str] = ""
    restricts: ClassVar[bool] = False

    def read(self, text: str, settings: Settings) -> Number:
        """Return the number in a text. Raises ValueFault."""
        return read_number(text)

    def check_new(self, value: Number, settings: Settings) -> None:
        """Raise ValueFault for a number that new cells cannot have; only if the format `restricts` numbers."""

    def show(self, value: Number, settings: Settings, locale: DisplayLocale) -> str:
        """Return the text of a number for users."""
        # Without thousands separators, because a number may be a year or a reference.
        return shown_text(value, locale)

    def stars(self, value: Number, settings: Settings) -> tuple[int, int] | None:
        """Return the number of full stars and of all, if the number is drawn as stars."""
        return None

    def edit_text(self, value: Number, settings: Settings, locale: DisplayLocale) -> str:
        """Return the exact text of a number for editing."""
        return exact_text(value, locale)

    def typed(self, text: str) -> str:
        """Return the text of a number that a user typed, with a decimal point, as one that `read` reads."""
        return text

    def detect(self, values: Sequence[str]) -> Settings:
        """Return the settings with this format that all values of a file's column show; none if they do not."""
        return {}

    def sheet_format(self, value: Number, settings: Settings, locale: DisplayLocale) -> str:
        """Return the number format of the cell in a workbook; "" for the general one."""
        return ""

    def sheet_value(self, value: Number) -> Number | str:
        """Return the number that the cell of a workbook has, or a text if it cannot have the number."""
        return value


class DecimalPlaces(NumberFormat):
    """A fixed number of decimal places."""

    name = "decimal"
    label = "Decimal places"

    def show(self, value: Number, settings: Settings, locale: DisplayLocale) -> str:
        if abs(value) >= MAX_SHOWN:
            return shown_text(value, locale)
        return locale.number(_fixed(value, settings["places"]))

    def sheet_format(self, value: Number, settings: Settings, locale: DisplayLocale) -> str:
        return _sheet_digits("0", places=settings["places"])


class Thousands(NumberFormat):
    """Groups of three digits."""

    name = "thousands"
    label = "Thousands separators"

    def show(self, value: Number, settings: Settings, locale: DisplayLocale) -> str:
        return shown_text(value, locale, grouped=True)

    def sheet_format(self, value: Number, settings: Settings, locale: DisplayLocale) -> str:
        return "#,##0" if isinstance(value, int) else "#,##0.0" + "#" * (MAX_PLACES - 1)


class Currency(NumberFormat):
    """Amounts of money. Texts with the sign or code of another currency are refused."""

    name = "currency"
    label = "Currency"

    def read(self, text: str, settings: Settings) -> Number:
        body, code = split_code(text) if len(text) <= MAX_DURATION_LENGTH else (text, "")
        sign, currency = sign_of(text), settings["currency"]
        if code not in ("", currency) or not is_sign_of(sign, currency):
            raise ValueFault("other_currency", OTHER_CURRENCY(value=shown(text), currency=currency))
        is_money = bool(code or sign)
        if is_money and (found := AMOUNT_WITH_COMMA.fullmatch(body.replace(sign, "").strip())):
            body = f"{found[1]}.{found[2]}"
        return read_number(body or text, is_money=is_money)

    def show(self, value: Number, settings: Settings, locale: DisplayLocale) -> str:
        if abs(value) >= MAX_SHOWN:
            return shown_text(value, locale)
        currency = settings["currency"]
        return locale.amount(_fixed(value, places_of(currency)), currency=currency)

    def detect(self, values: Sequence[str]) -> Settings:
        found = {split_code(value)[1] or CURRENCY_OF_SIGN.get(sign_of(value), "") for value in values}
        currency = found.pop()
        return {"format": self.name, "currency": currency} if currency and not found else {}

    def sheet_format(self, value: Number, settings: Settings, locale: DisplayLocale) -> str:
        currency = settings["currency"]
        symbol = sheet_symbol(currency_symbol(currency, tag=locale.tag), currency=currency)
        return money_format(locale, symbol=symbol, places=places_of(currency))


class Percent(NumberFormat):
    """Percentages, stored as fractions."""

    name = "percent"
    label = "Percent"
    unit = "a fraction, so that 5 % is 0.05"

    def read(self, text: str, settings: Settings) -> Number:
        if not text.rstrip().endswith("%"):
            return read_number(text)
        # All digits of a percentage are needed to find the stored float.
        return check_number(float(read_decimal(text).scaleb(-2, CONTEXT)))

    def show(self, value: Number, settings: Settings, locale: DisplayLocale) -> str:
        percentage = _moved(value, digits=2)
        if percentage is None or abs(value) >= MAX_SHOWN:
            return shown_text(value, locale)
        return locale.percentage(_without_zeros(_fixed(percentage, MAX_PERCENT_PLACES)))

    def edit_text(self, value: Number, settings: Settings, locale: DisplayLocale) -> str:
        digits = f"{Decimal(repr(value)).scaleb(2, CONTEXT):f}"
        return f"{digits.replace('.', locale.decimal)}%"

    def typed(self, text: str) -> str:
        try:
            read_number(text)
        except ValueFault:
            return text
        return text if "%" in text else f"{text}%"

    def detect(self, values: Sequence[str]) -> Settings:
        return {"format": self.name} if all(value.rstrip().endswith("%") for value in values) else {}

    def sheet_format(self, value: Number, settings: Settings, locale: DisplayLocale) -> str:
        places = min(max(-_exponent(value) - 2, 0), MAX_PERCENT_PLACES)
        return percent_format(locale, places=places)


class Rating(NumberFormat):
    """Stars. New values are whole numbers up to the number of stars."""

    name = "rating"
    label = "Rating"
    restricts = True

    def read(self, text: str, settings: Settings) -> Number:
        stars = STARS.fullmatch(text.strip()) if len(text) <= MAX_DURATION_LENGTH else None
        return len(stars[1]) if stars else read_number(text)

    def check_new(self, value: Number, settings: Settings) -> None:
        if not isinstance(value, int) or not 0 <= value <= settings["maximum"]:
            raise ValueFault("not_a_rating", NOT_A_RATING(value=shown(value), maximum=settings["maximum"]))

    def stars(self, value: Number, settings: Settings) -> tuple[int, int] | None:
        maximum: int = settings["maximum"]
        return (value, maximum) if isinstance(value, int) and 0 <= value <= maximum else None

    def show(self, value: Number, settings: Settings, locale: DisplayLocale) -> str:
        stars = self.stars(value, settings)
        return STAR * stars[0] + EMPTY_STAR * (stars[1] - stars[0]) if stars else shown_text(value, locale)

    def sheet_format(self, value: Number, settings: Settings, locale: DisplayLocale) -> str:
        return sheet_rating(settings["maximum"]) if isinstance(value, int) else ""


class Duration(NumberFormat):
    """Durations in minutes, shown as hours and minutes."""

    name = "duration"
    label = "Duration"
    unit = "in minutes"

    def read(self, text: str, settings: Settings) -> Number:
        minutes = read_duration(text)
        try:
            return read_number(text) if minutes is None else minutes
        except ValueFault:
            raise ValueFault("not_a_number", NOT_A_DURATION(value=shown(text))) from None

    def show(self, value: Number, settings: Settings, locale: DisplayLocale) -> str:
        if abs(value) >= MAX_SHOWN:
            return shown_text(value, locale)
        # In floats, and rounded half up, like Math.round of browsers.
        exact = abs(float(value)) * 60
        seconds = int(exact) + (exact - int(exact) >= 0.5)
        minutes, seconds = divmod(seconds, 60)
        text = f"{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
        return f"-{text}" if value < 0 else text

    def edit_text(self, value: Number, settings: Settings, locale: DisplayLocale) -> str:
        text = self.show(value, settings, locale)
        return text if read_duration(text) == value else exact_text(value, locale)

    def detect(self, values: Sequence[str]) -> Settings:
        # Without a unit, 9:30 may be a time of day.
        is_certain = any(":" not in value or len(value.split(":")[0].lstrip("+-\u2212 ")) > 2 for value in values)
        known = is_certain and all(read_duration(value) is not None for value in values)
        return {"format": self.name} if known else {}

    def sheet_format(self, value: Number, settings: Settings, locale: DisplayLocale) -> str:
        return "[h]:mm" if isinstance(value, int) else "[h]:mm:ss"

    def sheet_value(self, value: Number) -> Number | str:
        days = value / MINUTES_OF_DAY
        return days if abs(days) <= MAX_SHEET_DAYS else f"{number_text(value)} min"


PLAIN = NumberFormat()
# In the order in which users are offered them. Those with signs of their own are detected in this order.
FORMATS = {
    each.name: each
    for each in (PLAIN, DecimalPlaces(), Thousands(), Currency(), Percent(), Rating(), Duration())
}


def detect_settings(values: Sequence[Any]) -> Settings:
    """Return the settings that all values show: a format with its currency; none if they are plain numbers."""
    if not values or not all(isinstance(value, str) for value in values):
        return {}
    return next((found for each in FORMATS.values() if (found := each.detect(values))), {})


def read_duration(text: str) -> Number | None:
    """Return the minutes in a text like 1:30, 1:30:15, 90 min or 1 h 30 min; None for anything else."""
    body = text.strip() if len(text) <= MAX_DURATION_LENGTH else ""
    sign = SIGNS.get(body[:1], 0)
    body = body[1:].lstrip() if sign else body
    if clock := CLOCK.fullmatch(body):
        hours, minutes, seconds = clock[1], clock[2], clock[3]
    elif body and (units := UNITS.fullmatch(body)) and (units[1] or units[2] or units[4]):
        hours, minutes, seconds = units[1], units[2] or units[3], units[4]
    else:
        return None
    parts = [Fraction((part or "0").replace(",", ".")) for part in (hours, minutes, seconds)]
    total = parts[0] * 60 + parts[1] + parts[2] / 60
    return normal_number(float(total)) * (sign or 1)


def exact_text(value: Number, locale: DisplayLocale) -> str:
    """Return the digits of a number without exponent, from which it can be read again exactly in the locale."""
    return plain_number(value).replace(".", locale.decimal)


def shown_text(value: Number, locale: DisplayLocale, *, grouped: bool = False) -> str:
    """Return a number in the locale with up to 12 decimal places; very large and very small ones as stored."""
    if value and not MIN_SHOWN <= abs(value) < MAX_SHOWN:
        return number_text(value)
    digits = number_text(value)
    if len(digits.partition(".")[2]) > MAX_PLACES:
        digits = _without_zeros(_fixed(value, MAX_PLACES))
    return locale.number(digits, grouped=grouped)


def _fixed(value: Number, places: int) -> str:
    """Return the digits of a number rounded to these places, as browsers round: the half of the shown digits up."""
    rounded = Decimal(repr(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, CONTEXT)
    return f"{rounded:f}"


def _without_zeros(digits: str) -> str:
    return digits.rstrip("0").removesuffix(".") if "." in digits else digits


def _exponent(value: Number) -> int:
    """Return the power of ten of the last digit of a number, at most 0."""
    exponent = Decimal(repr(value)).normalize(CONTEXT).as_tuple().exponent
    return min(0, int(exponent))


def _moved(value: Number, *, digits: int) -> Number | None:
    """Return the number with its decimal point moved to the right by so many digits; None if that is too large."""
    moved = float(Decimal(repr(value)).scaleb(digits, CONTEXT))
    return normal_number(moved) if math.isfinite(moved) else None


def _sheet_digits(whole: str, *, places: int) -> str:
    return f"{whole}.{'0' * places}" if places else whole


def _currency(value: Any) -> str:
    code = value.strip().upper() if isinstance(value, str) else value
    if code not in CURRENCIES:
        raise ValueFault("unknown_currency", UNKNOWN_CURRENCY(hint=did_you_mean(code, CURRENCIES, listed=True)))
    return code


NUMBER_SETTINGS = (
    choice_setting(
        {name: each.label for name, each in FORMATS.items()},
        name="format",
        label="Format",
        default="plain",
        described="how numbers are shown; values stay plain numbers: percent is a fraction (0.05 is 5 %), duration is "
        "in minutes",
    ),
    number_setting(0, 6, name="places", label="Decimal places", default=DEFAULT_PLACES, formats=("decimal",)),
    Setting(
        name="currency",
        label="Currency",
        default=None,
        schema={"type": "string", "pattern": "^[A-Z]{3}$", "example": "EUR"},
        check=_currency,
        formats=("currency",),
        described="code of ISO 4217",
        suggested=CURRENCIES,
        names="currency",
    ),
    number_setting(1, 10, name="maximum", label="Stars", default=DEFAULT_STARS, formats=("rating",)),
)
