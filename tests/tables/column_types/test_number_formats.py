"""Formats of numbers: what is read, what is shown, and which new values are refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tables.column_types import ColumnSpec, ValueFault, get_column_type
from tables.column_types.display_locale import ENGLISH, DisplayLocale, display_locale

NUMBER = get_column_type("number")
GERMAN = display_locale("de")


def column(name: str = "", **settings: Any) -> ColumnSpec:
    given = {"format": name, **settings} if name else settings
    return NUMBER.check_definition(ColumnSpec("col_a", "A", "number", settings=tuple(given.items())))


COLUMNS = {
    "plain": column(),
    "decimal": column("decimal", places=1),
    "thousands": column("thousands"),
    "euro": column("currency", currency="EUR"),
    "franc": column("currency", currency="CHF"),
    "yen": column("currency", currency="JPY"),
    "percent": column("percent"),
    "rating": column("rating", maximum=5),
    "duration": column("duration"),
}


@pytest.mark.parametrize(
    ("name", "text", "number"),
    [
        ("percent", "5 %", 0.05), ("percent", "-0.5%", -0.005), ("percent", "0.05", 0.05), ("percent", "7%", 0.07),
        ("duration", "1:30", 90), ("duration", "-1:30", -90), ("duration", "25:00:30", 1500.5), ("duration", "90", 90),
        ("duration", "90 min", 90), ("duration", "1 h 30 min", 90), ("duration", "1h30", 90), ("duration", "1.5 h", 90),
        ("duration", "1,5 Std.", 90), ("duration", "20 s", 1 / 3),
        ("euro", "€ 12.50", 12.5), ("euro", "12,50 EUR", 12.5), ("euro", "-EUR 1,250.50", -1250.5), ("euro", "12", 12),
        ("rating", "4", 4), ("rating", "★★★★", 4), ("rating", "★★☆☆☆", 2), ("rating", "0", 0),
        ("plain", "5 %", 5), ("thousands", "1,234.5", 1234.5),
    ],
)  # fmt: skip
def test_texts_are_read_in_the_format_of_the_column(name: str, text: str, number: float) -> None:
    assert NUMBER.cast(text, COLUMNS[name]) == (number, True)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("duration", "1:60"), ("duration", "1:5"), ("duration", "h"), ("duration", "1,500 min"), ("duration", "∞"),
        ("duration", "\N{RIGHT-TO-LEFT MARK}1:30"), ("duration", "१:३०"), ("duration", "1" * 400),
        ("euro", "5 USD"), ("euro", "$5"), ("euro", "£5"), ("euro", "1.250 EUR"), ("euro", "EUR"), ("euro", "1e308"),
        ("percent", "%"), ("percent", "NaN"), ("percent", "५ %"), ("percent", 10**400), ("percent", float("inf")),
        ("rating", 6), ("rating", 3.5), ("rating", -1), ("rating", "★★★★★★"), ("rating", True),
        ("plain", "12 EUR"), ("plain", "1:30"),
    ],
)  # fmt: skip
def test_other_texts_and_ratings_out_of_range_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueFault):
        NUMBER.cast(value, COLUMNS[name])


@pytest.mark.parametrize(
    ("name", "number", "english", "german"),
    [
        ("plain", 1234.5, "1234.5", "1234,5"),
        ("decimal", 1234.25, "1234.3", "1234,3"),
        ("thousands", -1234567.5, "-1,234,567.5", "-1.234.567,5"),
        ("euro", -1234.5, "-€1,234.50", "-1.234,50\xa0€"),
        ("euro", 1.005, "€1.01", "1,01\xa0€"),
        ("euro", 1e308, "1e+308", "1e+308"),
        ("franc", 12.5, "CHF\xa012.50", "12,50\xa0CHF"),
        ("yen", 1234, "¥1,234", "1.234\xa0¥"),
        ("percent", 0.05, "5%", "5\xa0%"),
        ("percent", 1 / 3, "33.33%", "33,33\xa0%"),
        ("percent", 1e308, "1e+308", "1e+308"),
        ("rating", 4, "★★★★☆", "★★★★☆"),
        ("rating", 7.5, "7.5", "7,5"),
        ("duration", 90, "1:30", "1:30"),
        ("duration", -1500.5, "-25:00:30", "-25:00:30"),
    ],
)
def test_numbers_are_shown_in_the_format_and_the_language(name: str, number: Any, english: str, german: str) -> None:
    shown = [NUMBER.display(number, COLUMNS[name], locale) for locale in (ENGLISH, GERMAN)]
    assert shown == [english, german]


FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.sampled_from(sorted(COLUMNS)),
    st.sampled_from([ENGLISH, GERMAN]),
    st.decimals(-(10**9), 10**9, places=4).map(float) | FLOATS | st.floats(-100, 10**5),
)
@example("percent", ENGLISH, 7740.4134652009925)
@example("percent", GERMAN, 1e308)
@example("plain", GERMAN, 1e16)
def test_edited_texts_are_read_back_unchanged(name: str, locale: DisplayLocale, given: float) -> None:
    number = NUMBER.normalise(given)
    text = NUMBER.edit_text(number, COLUMNS[name], locale)
    assert NUMBER.cast_known(NUMBER.typed(text, COLUMNS[name], locale), COLUMNS[name]).value == number


@given(st.sampled_from(sorted(COLUMNS)), FLOATS)
def test_formats_restrict_new_values_only(name: str, given: float) -> None:
    number, form = NUMBER.normalise(given), COLUMNS[name]
    assert NUMBER.check_restored(number, form) == NUMBER.cast_known(number, form).value == number
    assert NUMBER.convert(number, source=COLUMNS["plain"], target=form) == number
    assert NUMBER.display(number, form)


@pytest.mark.parametrize(
    ("codes", "settings"),
    [
        ("0%|0.00%;[Red]-0.00%", "percent"), ("#,##0|_(* #,##0.00_)", "thousands"), ("0.00", "decimal"),
        ('"$"#,##0.00|[$$-409]#,##0', "currency USD"), ("[$$-1009]#,##0", "currency CAD"),
        ("[$-409]#,##0.00€", "currency EUR"),
        (r'_-* #,##0.00\ "CHF"_-;\-0', "currency CHF"), ("[$CA$]#,##0.00", "currency CAD"),
        ("[$$-5555]#,##0", "thousands"),
        ("General", ""), ("0%|0", ""), ("#,##0,", ""), ('0"kg"', ""), ('"50%"0', ""), ("0.00E+00", ""),
        ('"', ""), ("yyyy-mm-dd", ""), ("", ""),
    ],
)  # fmt: skip
def test_number_formats_of_workbooks_are_settings(codes: str, settings: str) -> None:
    found = NUMBER.detect_sheet_settings(codes.split("|"))
    assert " ".join(found.values()) == settings
