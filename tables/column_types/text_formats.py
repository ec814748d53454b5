"""The formats of text columns: which texts are valid, how they are cleaned, and what they link to.

Scripts link the same texts: static/tables/column_types/text_formats.js.
"""
from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from shared.strictjson.invisible import strip_invisible
from shared.user_messages import Template, declare
from tables.column_types.cell_drawing import Drawn
from tables.column_types.settings import choice_setting

NOT_A_URL = declare("not_a_url", "{value:quoted} is not a web address like https://example.com.")
NOT_AN_EMAIL = declare("not_an_email_address", "{value:quoted} is not an e-mail address like name@example.com.")
NOT_A_PHONE = declare("not_a_phone", "{value:quoted} is not a phone number like +49 30 123456.")

MAX_URL_LENGTH = 2_048
MAX_HOST_LENGTH = 253
MAX_EMAIL_LENGTH = 254  # RFC 5321
MAX_LOCAL_LENGTH = 64
MAX_PHONE_LENGTH = 40
MIN_DIGITS, MAX_DIGITS = 3, 20
MAX_PORT = 65_535

# Names of hosts as in django.core.validators, with letters of all scripts. Without IGNORECASE, which would accept
# letters such as U+017F for s.
LABEL = r"(?!-)(?:[^\W_]|-){1,63}(?<!-)"
DOMAIN = rf"(?:{LABEL}\.)+(?:[^\W\d_]{{2,63}}|xn--[a-zA-Z0-9-]{{1,58}}[a-zA-Z0-9])"
BYTE = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
URL = re.compile(
    rf"https?://(?P<host>{DOMAIN}|localhost|{BYTE}(?:\.{BYTE}){{3}})"
    r'(?::(?P<port>[0-9]{1,5}))?(?P<rest>[/?#][^\s\\<>"]*)?'
)
ATOM = r"[-!#$%&'*+/=?^_`{}|~0-9a-zA-Z]+"
EMAIL = re.compile(rf"(?P<local>{ATOM}(?:\.{ATOM})*)@(?P<host>{DOMAIN})")
PHONE = re.compile(r"\(?\+?[0-9 ()/.\-]+")
SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*://")
# How texts start that are certainly URLs or phone numbers, in the detection of formats.
URL_START = re.compile(r"\s*(?:https?://|www\.)", re.IGNORECASE)
PHONE_START = re.compile(r"\s*(?:\(?\+|\([0-9]{3}\) ?[0-9]{3}-|0[1-9][0-9]{1,4}[ /])(?:.*[0-9]){4}")
# The usual form of addresses, which are valid and clean: many are checked in a fraction of the time.
USUAL_HOST = r"[a-z0-9]{1,40}(?:\.[a-z0-9]{1,40}){0,2}\.[a-z]{2,63}"
USUAL_URL = re.compile(rf"https?://{USUAL_HOST}(?:/[!#-;=?-\[\]-~]{{0,1000}})?")
USUAL_EMAIL = re.compile(rf"[a-zA-Z0-9_-]{{1,30}}(?:\.[a-zA-Z0-9_-]{{1,30}})?@{USUAL_HOST}")
# Hosts that look like no other host: Latin letters with their marks, but not ı, ĸ and ſ.
PLAIN_HOST = re.compile("[a-zA-Z0-9.\\-ß-öø-ÿĀ-İĲ-ķĹ-ž]+")
# White space, and invisible characters that copied texts often have around them.
OUTER = "".join(
    sign for sign in map(chr, range(0x3001)) if sign.isspace() or unicodedata.category(sign) in ("Cc", "Cf")
) + "\N{ZERO WIDTH NO-BREAK SPACE}"


@dataclass(frozen=True)
class TextFormat:
    """A format of text columns. Only those with `fault` restrict texts.

    `clean` returns a text in the usual form, "" for one without content; `is_valid` and `link` are of a cleaned text.
    `detects` returns a true value if a valid text in a file certainly has this format. `input_type` is the type of HTML
    inputs, "" for a text area of `lines` lines. `usual` matches texts that are certainly valid and clean.
    """

    label: str
    fault: Template | None = None
    fault_code: str = ""
    clean: Callable[[str], str] = str
    is_valid: Callable[[str], bool] = bool
    link: Callable[[str], str] = lambda text: ""
    detects: Callable[[str], Any] | None = None
    input_type: str = ""
    lines: int = 2
    drawn: Drawn = "text"
    usual: re.Pattern[str] | None = None


def _clean_url(text: str) -> str:
    text = text.strip(OUTER)
    if not text:
        return ""
    found = SCHEME.match(text)
    return found[0].lower() + text[found.end() :] if found else f"https://{text.removeprefix('//')}"


def _is_url(text: str) -> bool:
    found = URL.fullmatch(text) if len(text) <= MAX_URL_LENGTH else None
    return (
        found is not None
        and len(found["host"]) <= MAX_HOST_LENGTH
        and 0 < int(found["port"] or 1) <= MAX_PORT
        and _is_visible(text)
    )


def _url_link(text: str) -> str:
    found = URL.fullmatch(text)
    return text if found and _is_plain_host(found["host"]) else ""


def _clean_email(text: str) -> str:
    return text.strip(OUTER).removeprefix("mailto:")


def _is_email(text: str) -> bool:
    found = EMAIL.fullmatch(text) if len(text) <= MAX_EMAIL_LENGTH else None
    return found is not None and len(found["local"]) <= MAX_LOCAL_LENGTH and _is_visible(text)


def _email_link(text: str) -> str:
    # A question mark in the address would start further fields of the message.
    return "mailto:" + quote(text, safe="@!*'()") if _is_plain_host(text.rpartition("@")[2]) else ""


def _clean_phone(text: str) -> str:
    text = strip_invisible(text.strip(OUTER).removeprefix("tel:"))
    return "".join(
        " " if sign.isspace() else "-" if unicodedata.category(sign) == "Pd" else sign for sign in text.strip()
    )


def _is_phone(text: str) -> bool:
    digits = sum(sign.isdigit() for sign in text)
    return len(text) <= MAX_PHONE_LENGTH and bool(PHONE.fullmatch(text)) and MIN_DIGITS <= digits <= MAX_DIGITS


def _phone_link(text: str) -> str:
    # In +49 (0)30, the zero is only dialled within the country.
    is_foreign = "+" in text
    number = text.replace("(0)", "") if is_foreign else text
    return f"tel:{'+' if is_foreign else ''}{re.sub('[^0-9]', '', number)}"


def _is_visible(text: str) -> bool:
    """Return whether the text has no control, bidirectional, unassigned and other invisible characters."""
    if text.isascii():
        return text.isprintable()
    return strip_invisible(text) == text and all(unicodedata.category(sign)[0] not in "CZ" for sign in text)


def _is_plain_host(host: str) -> bool:
    """Return whether the host is readable as it is written: without letters that look like others, and not encoded."""
    labels = host.lower().split(".")
    return bool(PLAIN_HOST.fullmatch(host)) and not any(label.startswith("xn--") for label in labels)


# By name, in the order in which users are offered them.
TEXT_FORMATS = {
    "line": TextFormat("Single line"),
    "long": TextFormat("Long text", lines=6, drawn="lines"),
    "url": TextFormat(
        "Web address", NOT_A_URL, "not_a_url", _clean_url, _is_url, _url_link, URL_START.match, "url",
        drawn="link", usual=USUAL_URL,
    ),
    "email": TextFormat(
        "E-mail", NOT_AN_EMAIL, "not_an_email", _clean_email, _is_email, _email_link, bool, "email",
        drawn="link", usual=USUAL_EMAIL,
    ),
    "phone": TextFormat(
        "Phone", NOT_A_PHONE, "not_a_phone", _clean_phone, _is_phone, _phone_link, PHONE_START.match, "tel",
        drawn="link",
    ),
}  # fmt: skip
TEXT_SETTINGS = (
    choice_setting(
        {name: each.label for name, each in TEXT_FORMATS.items()},
        name="format",
        label="Format",
        default="line",
        described="long is text of several lines; url, email and phone are checked and shown as links",
    ),
)
