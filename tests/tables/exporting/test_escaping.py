"""What is escaped comes back, and no spreadsheet computes it."""
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.operations.formula_escaping import escape_formula, unescape_formula

FIRST = "=+-@\t\r\n\0＝＋－＠"
texts = st.text(st.sampled_from([*FIRST, "'", "a", " ", "1"])) | st.text()


@given(texts)
def test_what_is_escaped_comes_back(text: str) -> None:
    assert unescape_formula(escape_formula(text)) == text


@given(texts)
def test_escaped_text_never_begins_like_a_formula(text: str) -> None:
    assert not escape_formula(text).startswith(tuple(FIRST))


@given(texts)
def test_two_texts_are_never_escaped_to_the_same(text: str) -> None:
    # The only other text that could have become this one.
    assert escape_formula(f"'{text}") != escape_formula(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=1+1", "'=1+1"), ("'=1+1", "''=1+1"), ("''@x", "'''@x"), ("'tis", "'tis"), ("''", "''"), ("", ""),
        ("plain", "plain"), (" =1", " =1"), ("-5", "'-5"), ("＝1", "'＝1"), ("\tx", "'\tx"), ("\r\n", "'\r\n"),
    ],
)  # fmt: skip
def test_it_is_written_so(text: str, written: str) -> None:
    assert escape_formula(text) == written
