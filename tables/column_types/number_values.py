"""Values that are numbers: finite floats, whole ones as integers, and the texts that unambiguously mean a number."""
from __future__ import annotations

import math
import re
import unicodedata
from decimal import Decimal
from typing import Any

from shared.user_messages import Message, declare
from shared.user_messages.request_messages import NOT_FINITE
from tables.column_types.faults import ValueFault, shown
from tables.column_types.value_texts import number_text

MAX_SAFE_INTEGER = 2**53 - 1  # every integer up to this is represented by a distinct float
MAX_TEXT_LENGTH = 400
# Groups of three digits separated by commas, or a decimal comma only after groups separated by dots, so that every
# text is unambiguous. Each pattern runs in linear time.
PLAIN_NUMBER = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
COMMA_GROUPS = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
DOT_GROUPS = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+,[0-9]+")
DECIMAL_COMMA = re.compile(r"(?:0|[1-9][0-9]*),[0-9]+")
# In amounts of money, a dot before three digits is as likely a thousands separator.
AMBIGUOUS_AMOUNT = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")
SIGNS = {"+": 1, "-": -1, "\u2212": -1}
TEXT_FOR_NUMBER = declare(
    "text_for_number", "{value:quoted} is text. Write numbers without quotes, like 1200 or -3.5."
)
QUOTED_NUMBER = declare(
    "quoted_number",
    "{value:quoted} is text. Write the number {number} without quotes, or convert text with typecast=true.",
)
NOT_A_NUMBER = declare("not_a_number", "{value:quoted} is not a number like 1200, 1,200.5 or -3.")
COMMA_ALONE = declare(
    "comma_alone", "{value:quoted} has a comma, which only separates thousands. Write {number} with a point."
)
NOT_A_JSON_NUMBER = declare("not_a_json_number", "{value:quoted} is not a number like 1200 or -3.5.")
TWO_NUMBERS = declare("two_numbers", "{value:quoted} can mean {one} or {other}. Enter the number you mean.")
NUMBER_TOO_LARGE = declare("number_too_large", "Whole numbers must be between −{least} and {most}.")


def check_number(value: Any) -> int | float:
    """Return the stored form of a JSON number. Raises ValueFault."""
    if type(value) is int and -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
        return value
    if isinstance(value, str):
        raise ValueFault("not_a_number", _text_for_number(value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueFault("not_a_number", NOT_A_JSON_NUMBER(value=shown(value)))
    if isinstance(value, int):
        if abs(value) > MAX_SAFE_INTEGER:
            raise ValueFault("too_large", NUMBER_TOO_LARGE(least=MAX_SAFE_INTEGER, most=MAX_SAFE_INTEGER))
        return value
    if not math.isfinite(value):
        raise ValueFault("not_finite", NOT_FINITE())
    return normal_number(value)


def normal_number(value: int | float) -> int | float:
    """Return the canonical form of a number: integers up to 2^53−1 (−0 becomes 0), else floats."""
    if isinstance(value, int):
        return value if abs(value) <= MAX_SAFE_INTEGER else float(value)
    return int(value) if value.is_integer() and abs(value) <= MAX_SAFE_INTEGER else value


def read_number(text: str, *, is_money: bool = False) -> int | float:
    """Return the number in an unambiguous text, of money even without a currency sign. Raises ValueFault."""
    sign, digits = _read_digits(text, is_money=is_money)
    return check_number(sign * (float(digits) if "." in digits else int(digits)))


def read_decimal(text: str) -> Decimal:
    """Return the number in an unambiguous text with all its digits. Raises ValueFault."""
    sign, digits = _read_digits(text, is_money=False)
    return sign * Decimal(digits)


def _read_digits(text: str, *, is_money: bool) -> tuple[int, str]:
    """Return the sign of a number and its digits with a decimal point. Raises ValueFault."""
    if len(text) > MAX_TEXT_LENGTH:
        raise ValueFault("not_a_number", NOT_A_NUMBER(value=shown(text)))
    sign, body, money = strip_number_marks(text)
    if (money or is_money) and AMBIGUOUS_AMOUNT.fullmatch(body):
        one, other = (number_text(check_number(sign * amount)) for amount in (float(body), int(body.replace(".", ""))))
        raise ValueFault("not_a_number", TWO_NUMBERS(value=shown(text), one=one, other=other))
    if PLAIN_NUMBER.fullmatch(body):
        return sign, body
    if COMMA_GROUPS.fullmatch(body):
        return sign, body.replace(",", "")
    if DOT_GROUPS.fullmatch(body):
        return sign, body.replace(".", "").replace(",", ".")
    if DECIMAL_COMMA.fullmatch(body):
        raise ValueFault("not_a_number", COMMA_ALONE(value=shown(text), number=shown(text.strip().replace(",", "."))))
    raise ValueFault("not_a_number", NOT_A_NUMBER(value=shown(text)))


def _text_for_number(text: str) -> Message:
    """Return the message for a text in place of a JSON number, which suggests the number."""
    try:
        number = number_text(read_number(text))
    except ValueFault:
        return TEXT_FOR_NUMBER(value=shown(text))
    return QUOTED_NUMBER(value=shown(text), number=number)


def strip_number_marks(text: str) -> tuple[int, str, bool]:
    """Return the sign, the text without one sign, one currency or per cent sign and space, and whether it is money."""
    body, sign, signed, marked = text.strip(), 1, False, False
    while body:
        if body[0] in SIGNS and not signed:
            sign, signed, body = SIGNS[body[0]], True, body[1:].lstrip()
        elif unicodedata.category(body[0]) == "Sc" and not marked:
            marked, body = True, body[1:].lstrip()
        else:
            break
    if body and not marked and (body[-1] == "%" or unicodedata.category(body[-1]) == "Sc"):
        marked, body = body[-1] != "%", body[:-1].rstrip()
    return sign, body, marked
