"""Columns of files that are lists of options, and columns of texts with the same separators that are not."""
from __future__ import annotations

import pytest

from tables.importing.type_detection import guess_column

LISTS = {
    "Skills": ["Python; SQL", "SQL", "Python; R", "Go; SQL", "R", "Python"],
    "Tags": ["a; b", "b", "a", "b; a; c", "c; a"],
    "Topics": ["health\nfood", "food", "sport\nhealth", "sport\nfood\nhealth"],
    "Channels": ["Mail, Phone", "Phone", "Mail, Chat", "Chat", "Phone, Chat", "Mail", "Chat, Mail", "Phone"],
    "Languages": ["English; German", "German", "English; French", "French; German", "English"],
    "Days": ["Mon, Wed, Fri", "Tue, Thu", "Mon, Tue", "Wed, Fri", "Mon, Thu", "Fri, Mon"],
    "Allergene": ["Nüsse; Milch", "Milch", "Gluten; Milch", "Gluten", "Nüsse; Gluten"],
    "Long": ["Red, Blue", "Blue", "Red", "Green, Red"] * 6,
}
TEXTS = {
    "Place": ["Berlin, Germany", "Paris, France", "Munich, Germany", "Lyon, France", "Bonn, Germany", "Nice, France"],
    "Town": ["Berlin, Germany", "Paris, France", "Monaco", "Munich, Germany", "Berlin, Germany", "Monaco"],
    "Name": ["Smith, John", "Doe, Jane", "Smith, Jane", "Doe, John", "Madonna", "Smith, Ann"],
    "Author": ["Lovelace, A.", "Turing, A.; Church, A.", "Church, A.", "Turing, A.", "Hopper, G.; Turing, A."],
    "Address": ["1 Main St, Springfield", "5 Oak Ave, Springfield", "Springfield", "7 Elm Rd, Springfield, IL"],
    "Note": ["Call back, then mail", "Sent; waiting", "Yes, please", "Fine", "No answer, try again", "Yes"],
    "Company": ["Acme, Inc.", "Bolt, Inc.", "Crux", "Dyno, Ltd.", "Acme, Inc.", "Echo, Ltd."],
    "Amount": ["1,5 kg", "2 kg", "2,5 kg", "1,5 kg", "3 kg"],
    "Colors": ["Red", "Blue", "Red", "Green"],
    "Two": ["a; b", "b; a", "a"],
    "Nested": ["a; b, c", "b", "c; a", "a, b", "c"],
}


@pytest.mark.parametrize(("name", "values"), LISTS.items())
def test_short_lists_that_repeat_are_options(name: str, values: list[str]) -> None:
    assert guess_column(values, name=name).type == "multi_select"


@pytest.mark.parametrize(("name", "values"), TEXTS.items())
def test_texts_with_separators_are_no_lists(name: str, values: list[str]) -> None:
    assert guess_column(values, name=name).type == "text"
