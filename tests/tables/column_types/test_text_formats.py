"""Formats of text columns: strict values, cleaning, links and detection."""
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.column_types import ColumnSpec, ValueFault, get_column_type

TEXT = get_column_type("text")
STRICT = ("url", "email", "phone")
SIGNS = "aB1ä.-/:@+() \u202e\t\n?#%\\ſжhttpswxn"


def column(format_name: str, **fields: Any) -> ColumnSpec:
    return ColumnSpec("col_a", "Contact", "text", settings=(("format", format_name),), **fields)


def cleaned(value: Any, format_name: str) -> Any:
    """Return the stored form of a value; the code of the fault if it is refused."""
    try:
        return TEXT.cast(value, column(format_name)).value
    except ValueFault as fault:
        return fault.code


@pytest.mark.parametrize(
    ("format_name", "given", "stored", "link"),
    [
        ("url", "acme.com", "https://acme.com", "https://acme.com"),
        ("url", "\u200b HTTP://Acme.com:80/@a?b=c#d\n", "http://Acme.com:80/@a?b=c#d", "http://Acme.com:80/@a?b=c#d"),
        ("url", "//müller.de/ä", "https://müller.de/ä", "https://müller.de/ä"),
        ("url", "https://\u0430pple.com", "https://\u0430pple.com", ""),
        ("url", "https://a.xn--pple-43d.com", "https://a.xn--pple-43d.com", ""),
        ("email", " mailto:a+b@x.org", "a+b@x.org", "mailto:a%2Bb@x.org"),
        ("email", "a?cc=v@x.org", "a?cc=v@x.org", "mailto:a%3Fcc%3Dv@x.org"),
        ("email", "a@xn--pple-43d.com", "a@xn--pple-43d.com", ""),
        ("phone", "tel:+49 (0)30\u00a01234\u20115", "+49 (0)30 1234-5", "tel:+493012345"),
        ("phone", 302345, "302345", "tel:302345"),
        ("url", " \u2066", None, ""),
        ("line", " javascript:x ", " javascript:x ", ""),
    ],
)  # fmt: skip
def test_values_are_cleaned_and_linked(format_name: str, given: Any, stored: str | None, link: str) -> None:
    assert cleaned(given, format_name) == stored
    assert TEXT.link(stored, column(format_name)) == link


HOSTILE = {
    "url": [
        "javascript:alert(1)", "JavaScript://a.com/%0aalert(1)", "data:text/html,x", "https://user@a.com",
        "https://user:word@a.com", "https://good.com\\@evil.com", "https://good.com:80@evil.com", "ftp://a.com",
        "http\u017f://a.com", "https://a.com/\u202egpj.exe", "https://a.com/a b", "https://a.com/\nb", "https://a",
        "https://0x7f.1", "https://256.1.1.1", "https://-a.com", "https://a..com", "https://a.com:99999",
        "https://a\u200b.com", "https://a.com/<b>", "https://" + "a" * 64 + ".com", "https://a.com/" + "x" * 2_048,
    ],
    "email": [
        "a@b.com\nBcc: c@d.com", "a@b.com,c@d.com", "a b@c.de", "<a@b.de>", "a@b.com?cc=x", "a..b@c.de", "a@b", "@b.de",
        "a@b@c.de", "x" * 65 + "@a.de", "a@" + "b.b" * 90,
    ],
    "phone": ["12", "1" * 21, "call me", "++49 123", "12+3 45", "123;ext=4", "\u0661\u0662\u0663"],
}  # fmt: skip


@pytest.mark.parametrize(("format_name", "value"), [(name, each) for name in HOSTILE for each in HOSTILE[name]])
def test_hostile_values_are_refused_and_stored_ones_are_not_linked(format_name: str, value: str) -> None:
    codes = {"url": "not_a_url", "email": "not_an_email", "phone": "not_a_phone"}
    assert cleaned(value, format_name) == codes[format_name]
    assert (TEXT.link(value, column(format_name)), TEXT.input_type(value, column(format_name))) == ("", "")
    assert TEXT.check_restored(value, column(format_name)) == value
    assert TEXT.convert(value, source=column("line"), target=column(format_name)) == value
    assert TEXT.cast_known(value, column(format_name)).value == value


@given(text=st.text(SIGNS) | st.emails() | st.text(), format_name=st.sampled_from(("line", "long", *STRICT)))
def test_a_cleaned_value_is_valid_and_cleaned_again_unchanged(text: str, format_name: str) -> None:
    try:
        value = TEXT.cast(text, column(format_name)).value
    except ValueFault:
        return
    assert TEXT.check(value, column(format_name)) == TEXT.cast(value, column(format_name)).value == value


@pytest.mark.parametrize(
    ("values", "format_name"),
    [
        (["https://a.com", "www.b.org/x"], "url"),
        (["a.com", "b.org"], None),
        (["a@b.de", " c@d.com"], "email"),
        (["a@b.de", "none"], None),
        (["+49 30 123456", "(555) 010-9999", "030/123456"], "phone"),
        (["978-3-16-148410-0", "01234"], None),
        ([], None),
    ],
)
def test_a_format_is_detected_if_all_values_have_it(values: list[str], format_name: str | None) -> None:
    assert TEXT.detect_settings(values).get("format") == format_name
