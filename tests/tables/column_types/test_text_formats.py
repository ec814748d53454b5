"""Formats of text columns: strict values, cleaning, links and detection."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.column_types import ColumnSpec, ValueFault, get_column_type
from tables.column_types.text_formats import TEXT_FORMATS
from tests.hypothesis_examples import examples

TEXT = get_column_type("text")
CODES = {"url": "not_a_url", "email": "not_an_email", "phone": "not_a_phone"}
STRICT = tuple(CODES)
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
    ("format_name", "given", "stored"),
    [
        ("url", "acme.com", "https://acme.com"), ("url", "//acme.com", "https://acme.com"),
        ("url", "\u200b HTTP://Acme.com\n", "http://Acme.com"), ("url", " \u2066", None),
        ("email", " mailto:a+b@x.org", "a+b@x.org"), ("phone", "tel:+49\u00a0(0)30\u20115", "+49 (0)30-5"),
        ("phone", 302345, "302345"), ("line", " javascript:x ", " javascript:x "),
    ],
)  # fmt: skip
def test_values_are_cleaned(format_name: str, given: Any, stored: str | None) -> None:
    assert cleaned(given, format_name) == stored


@examples(10)
@given(st.sampled_from([name for name, each in TEXT_FORMATS.items() if each.usual]), st.data())
def test_usual_texts_are_stored_unchanged(format_name: str, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(TEXT_FORMATS[format_name].usual, fullmatch=True))
    assert TEXT.stores_unchanged([text], column(format_name))
    assert TEXT.check(text, column(format_name)) == cleaned(text, format_name) == text


# Scripts link the same texts: tests/js/tables/text_links.test.mjs.
LINKS = json.loads((Path(__file__).parent / "text_links.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("format_name", "before", "part", "count", "after"), LINKS["longest"])
def test_longer_values_are_refused(format_name: str, before: str, part: str, count: int, after: str) -> None:
    longest, longer = (f"{before}{part * number}{after}" for number in (count, count + 1))
    assert cleaned(longest, format_name) == longest
    assert TEXT.link(longest, column(format_name))
    assert cleaned(longer, format_name) == CODES[format_name]
    assert not TEXT.link(longer, column(format_name))


@pytest.mark.parametrize(
    ("format_name", "value", "link"), [*LINKS["links"], *([*each, ""] for each in LINKS["valid but not linked"])]
)
def test_valid_values_are_linked_unless_their_host_is_not_readable(format_name: str, value: str, link: str) -> None:
    assert TEXT.check(value, column(format_name)) == value
    assert TEXT.link(value, column(format_name)) == link


@pytest.mark.parametrize(("format_name", "value"), LINKS["invalid"])
def test_hostile_values_are_refused_and_stored_ones_are_not_linked(format_name: str, value: str) -> None:
    assert cleaned(value, format_name) == CODES[format_name]
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
