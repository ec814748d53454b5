"""Escaping of formulas in CSV files."""
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.operations.formula_escaping import escape_formula, unescape_formula

FIRST = "=+-@\t\r\n\0＝＋－＠"
texts = st.text(st.sampled_from([*FIRST, "'", "a", " ", "1"])) | st.text()


@given(texts)
def test_escaped_text_is_unescaped_unchanged(text: str) -> None:
    assert unescape_formula(escape_formula(text)) == text


@given(texts)
def test_escaped_text_never_begins_like_a_formula(text: str) -> None:
    assert not escape_formula(text).startswith(tuple(FIRST))


@given(texts)
def test_different_texts_are_escaped_differently(text: str) -> None:
    # The only other text that could be escaped to the same one.
    assert escape_formula(f"'{text}") != escape_formula(text)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("=1+1", "'=1+1"), ("'=1+1", "''=1+1"), ("''@x", "'''@x"), ("'tis", "'tis"), ("''", "''"), ("", ""),
        ("plain", "plain"), (" =1", " =1"), ("-5", "'-5"), ("＝1", "'＝1"), ("\tx", "'\tx"), ("\r\n", "'\r\n"),
    ],
)  # fmt: skip
def test_escaped_forms(text: str, escaped: str) -> None:
    assert escape_formula(text) == escaped
