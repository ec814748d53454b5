"""English as far as it is understood: days, numbers, lists, names."""

from __future__ import annotations

from datetime import date

import pytest

from chat.demo.language.dates import span
from chat.demo.language.numbers import count, number
from chat.demo.language.words import bare, plural, shown, singular, split_list, title

TODAY = date(2026, 11, 21)
DAYS = [
    ("2026-06-01", "2026-06-01", "2026-06-01"),
    ("June 1", "2026-06-01", "2026-06-01"),
    ("June 1st, 2025", "2025-06-01", "2025-06-01"),
    ("the 3rd of May", "2026-05-03", "2026-05-03"),
    ("1 Feb 2027", "2027-02-01", "2027-02-01"),
    ("June", "2026-06-01", "2026-06-30"),
    ("Feb 2024", "2024-02-01", "2024-02-29"),
    ("last December", "2025-12-01", "2025-12-31"),
    ("2025", "2025-01-01", "2025-12-31"),
    ("Q2", "2026-04-01", "2026-06-30"),
    ("today", "2026-11-21", "2026-11-21"),
    ("yesterday", "2026-11-20", "2026-11-20"),
    ("this week", "2026-11-16", "2026-11-22"),
    ("last week", "2026-11-09", "2026-11-15"),
    ("next month", "2026-12-01", "2026-12-31"),
    ("last year", "2025-01-01", "2025-12-31"),
    ("last Friday", "2026-11-20", "2026-11-20"),
    ("monday", "2026-11-23", "2026-11-23"),
    ("3 days ago", "2026-11-18", "2026-11-18"),
    ("in two weeks", "2026-12-05", "2026-12-05"),
    ("the end of May", "2026-05-31", "2026-05-31"),
    ("the beginning of next month", "2026-12-01", "2026-12-01"),
]


@pytest.mark.parametrize(("words", "start", "end"), DAYS, ids=[words for words, _, _ in DAYS])
def test_days_are_read(words: str, start: str, end: str) -> None:
    found = span(words, today=TODAY)

    assert found is not None
    assert (found.start.isoformat(), found.end.isoformat()) == (start, end)


@pytest.mark.parametrize("words", ["", "purple", "2026-13-01", "February 30", "may be", "5", "03/04/2024"])
def test_what_is_no_day_is_none(words: str) -> None:
    assert span(words, today=TODAY) is None


NUMBERS = [("5", 5), ("1,200", 1200), ("$95,000", 95000), ("80k", 80000), ("1.5 million", 1_500_000), ("-3.5", -3.5)]


@pytest.mark.parametrize(("words", "value"), [*NUMBERS, ("twelve", 12), ("5 %", 5), ("€7.50", 7.5)])
def test_numbers_are_read(words: str, value: float) -> None:
    assert number(words) == value


@pytest.mark.parametrize("words", ["", "lots", "12abc", "1,5", "some", "a", "2026-01-01"])
def test_what_is_no_number_is_none(words: str) -> None:
    assert number(words) is None


@pytest.mark.parametrize(
    ("words", "value"), [("ten", 10), ("a dozen", 12), ("twenty-five", 25), ("a few", 5), ("40", 40)]
)
def test_counts_are_read(words: str, value: int) -> None:
    assert count(words) == value


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("a, b and c", ["a", "b", "c"]),
        ("a, b, and c", ["a", "b", "c"]),
        ("status (new, old), price", ["status (new, old)", "price"]),
        ('"x, y" & z', ['"x, y"', "z"]),
        ("band name", ["band name"]),
        ("", []),
    ],
)
def test_lists_are_split_outside_brackets_and_quotes(text: str, items: list[str]) -> None:
    assert split_list(text) == items


@pytest.mark.parametrize(
    ("words", "wish"),
    [
        ("Could you please add 5 rows?", "add 5 rows"),
        ("Hi! I'd like you to delete Acme, thanks.", "delete Acme"),
        ("ok, now help me to track vendors for me please", "track vendors"),
        ("please", "please"),
        ("Wellness is a word", "Wellness is a word"),
    ],
)
def test_courtesy_is_left_out(words: str, wish: str) -> None:
    assert bare(words) == wish


@pytest.mark.parametrize(
    ("many", "one"), [("companies", "company"), ("boxes", "box"), ("statuses", "status"), ("people", "person")]
)
def test_plurals_and_singulars(many: str, one: str) -> None:
    assert (singular(many), plural(one)) == (one, many)


@pytest.mark.parametrize(
    ("text", "name"), [("date applied", "Date Applied"), ("url of site", "URL of Site"), ("iOS app", "iOS App")]
)
def test_names_are_written_as_titles(text: str, name: str) -> None:
    assert title(text) == name


def test_foreign_text_in_a_sentence_is_short_and_plain() -> None:
    assert shown("a\n**b** [c](d) `e` <f> {g}") == "a b c (d) e f g"
    assert len(shown("x" * 500)) == 80
