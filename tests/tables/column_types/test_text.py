"""Text columns: normalization of line ends."""
from __future__ import annotations

import pytest

from tables.column_types import ColumnSpec, ValueFault, get_column_type
from tables.importing.type_detection import example

COLUMN = ColumnSpec(id="col_a", name="Notes", type="text")


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        pytest.param("a\r\nb", "a\nb", id="Windows"),
        pytest.param("a\rb\r", "a\nb\n", id="old Mac"),
        pytest.param("a\r\r\nb", "a\n\nb", id="both"),
        pytest.param(" a\nb ", " a\nb ", id="plain, with white space around"),
    ],
)
def test_line_ends_are_stored_as_line_feeds(given: str, stored: str) -> None:
    text = get_column_type("text")
    assert [text.check(given, COLUMN), text.cast(given, COLUMN).value] == [stored, stored]


@pytest.mark.parametrize("text", [" ", "\t\n", "\u00a0\u3000"])
@pytest.mark.parametrize("required", [False, True])
def test_text_of_only_white_space_is_no_value_in_a_required_column(text: str, required: bool) -> None:
    column, kind = ColumnSpec(id="col_a", name="Notes", type="text", required=required), get_column_type("text")
    stored = None if required else text
    assert [kind.check(text, column), kind.cast(text, column).value] == [stored, stored]


def test_undo_restores_earlier_line_ends_unchanged() -> None:
    assert get_column_type("text").check_restored("a\r\nb", COLUMN) == "a\r\nb"


def test_an_import_preview_shows_a_line_break_as_a_sign() -> None:
    assert example("a\r\nb\nc\td") == "a↵b↵c\N{REPLACEMENT CHARACTER}d"


def test_a_text_that_is_too_long_names_the_limit_as_a_whole_number() -> None:
    with pytest.raises(ValueFault) as caught:
        get_column_type("text").check("x" * 65_537, COLUMN)
    assert caught.value.message.params == {"count": 64}
    assert type(caught.value.message.params["count"]) is int
