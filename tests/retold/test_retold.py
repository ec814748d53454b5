"""English sentences are told again in German as far as they are known, in one pass, and never half."""
from __future__ import annotations

import pytest
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from retold import retold, sentences

TOLD = {
    "Added 1 row": "1 Zeile hinzugefügt",
    "Added 1,234 rows, deleted 1 row": "1.234 Zeilen hinzugefügt, 1 Zeile gelöscht",
    "Added columns A, B and 3 more, renamed the table": "Spalten A, B und 3 weitere hinzugefügt, Tabelle umbenannt",
    "Undid: Redid: Renamed the table": "Rückgängig gemacht: Wiederholt: Tabelle umbenannt",
    "Amount: Numbers must be finite.": "Amount: Zahlen müssen endlich sein.",
    "“x” is not an option of “S”.": "„x“ ist keine Option von „S“.",
    "“x” is not an option of “S”. Did you mean “y”?": "„x“ ist keine Option von „S“. Meinten Sie „y“?",
    "“x” is not an option of “S”. There are: “y”, “z 1”.": "„x“ ist keine Option von „S“. Es gibt: „y“, „z 1“.",
    "Created “{said}, %(x)s <b>”": "„{said}, %(x)s <b>“ erstellt",
}
NOT_A_DATE = "Due: “abc” is not a date of the form YYYY-MM-DD."
LEFT = ["", "hello: world", "a, b, c", "Undid: something else", "“x” is not an option of “S”. Because.", "Added  rows"]


@pytest.mark.parametrize(("english", "german"), TOLD.items())
def test_what_is_known_is_told_again(english: str, german: str) -> None:
    with override("de"):
        assert retold(english) == german
    assert retold(english) == english


def test_a_fault_has_words_for_people_in_english_too() -> None:
    assert retold(NOT_A_DATE) == "Due: “abc” is not a date. Try 24 Dec 2026 or 2026-12-24."
    with override("de"):
        assert retold(NOT_A_DATE) == "Due: „abc“ ist kein Datum. Schreiben Sie zum Beispiel 24.12.2026 oder 2026-12-24."


@pytest.mark.parametrize("english", LEFT)
def test_what_is_not_known_stays_as_it_is(english: str) -> None:
    with override("de"):
        assert retold(english) == english


@given(value=st.text(min_size=1, max_size=60).filter(lambda text: "”" not in text))
def test_what_people_wrote_comes_through_unchanged(value: str) -> None:
    with override("de"):
        assert retold(f"There is another column “{value}” now.") == f"Es gibt jetzt eine andere Spalte „{value}“." or (
            value.replace(",", "").isdecimal()
        )


LONG = ["Added columns " + ", " * 900, "Undid: " * 280, "“" * 2_000, "x: " * 660, "a" * 10**6]


@pytest.mark.parametrize("text", LONG, ids=range(5))
def test_nothing_that_is_written_makes_it_work_long(text: str) -> None:
    """One pass over a text for each sentence: what is long, or nested deep, is left as it is."""
    with override("de"):
        assert retold(text) == text


def test_a_sentence_is_there_once() -> None:
    words = [each.words for each in sentences()]
    assert sorted(words) == sorted(set(words))
