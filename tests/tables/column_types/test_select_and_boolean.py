"""Text, boolean and select cells in strict and cast mode; options and definitions."""
from __future__ import annotations

import datetime
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.column_types import ColumnSpec, ValueFault, get_column_type
from tables.column_types.names import check_name, name_key
from tables.column_types.options import options_from
from tests.hypothesis_examples import examples

COLUMN = ColumnSpec(id="col_aaaaaaaa", name="Cell", type="text")
STATUS = ColumnSpec(id="col_bbbbbbbb", name="Status", type="select", options=("To do", "In  progress", "Done", "5"))


def cast(type_name: str, value: Any, column: ColumnSpec = COLUMN) -> Any:
    return get_column_type(type_name).cast(value, column).value


@pytest.mark.parametrize(
    ("value", "code"),
    [("a\x00b", "nul_character"), ("\ud800", "lone_surrogate")],
)
def test_unstorable_text_is_refused_in_strict_mode(value: object, code: str) -> None:
    with pytest.raises(ValueFault) as caught:
        get_column_type("text").check(value, COLUMN)
    assert caught.value.code == code


def is_name(text: str) -> bool:
    try:
        return check_name(text, is_option=True) == text
    except ValueFault:
        return False


SIGNS = "0,;\"=<\u202e\u200ba"
names = st.one_of(st.text(SIGNS, min_size=1, max_size=6), st.text(min_size=1, max_size=8)).filter(is_name)


@examples(40)
@given(st.lists(names, min_size=1, max_size=6, unique_by=name_key), st.booleans(), st.dates())
def test_edited_texts_are_read_back_unchanged(options: list[str], truth: bool, day: datetime.date) -> None:
    column = replace(STATUS, options=tuple(options))
    for type_name, value in (*(("select", each) for each in options), ("boolean", truth), ("date", day.isoformat())):
        assert cast(type_name, get_column_type(type_name).edit_text(value, column), column) == value


def test_an_exact_option_is_preferred_to_a_similar_one() -> None:
    column = replace(STATUS, options=("a b", "A  B"))
    assert cast("select", "A  B", column) == "A  B"


def test_a_text_similar_to_two_options_is_refused() -> None:
    with pytest.raises(ValueFault):
        cast("select", "a   b", replace(STATUS, options=("a b", "A  B")))


def test_an_unknown_option_gets_a_suggestion() -> None:
    with pytest.raises(ValueFault) as caught:
        cast("select", "Dome", STATUS)
    assert caught.value.code == "unknown_option"
    assert "“Done”" in caught.value.detail


@pytest.mark.parametrize("value", [["Dome", "Done", "Clsd"], "Dome; Done; Clsd"])
def test_all_unknown_options_of_a_list_are_named(value: Any) -> None:
    with pytest.raises(ValueFault) as caught:
        cast("multi_select", value, STATUS)
    assert caught.value.message.params["values"] == ("Dome", "Clsd")


@pytest.mark.parametrize(
    ("options", "code"),
    [((), "options_needed"), (("A", " a "), "doubled_option"), (("A", ""), "empty_name"), (("x" * 256,), "too_long"),
     (("a\nb",), "control_character"), (tuple(str(i) for i in range(1_001)), "too_many_options"), ((5,), "not_text")],
)  # fmt: skip
def test_invalid_options_are_refused(options: tuple[Any, ...], code: str) -> None:
    with pytest.raises(ValueFault) as caught:
        get_column_type("select").check_definition(replace(STATUS, options=options))
    assert caught.value.code == code


def test_definitions_have_cast_defaults_and_trimmed_options() -> None:
    checked = get_column_type("select").check_definition(replace(STATUS, options=(" Open ", "Done"), default="open"))
    assert (checked.options, checked.default) == (("Open", "Done"), "Open")


def test_only_select_columns_have_options() -> None:
    with pytest.raises(ValueFault) as caught:
        get_column_type("text").check_definition(replace(COLUMN, options=("A",)))
    assert caught.value.code == "no_options"


def test_a_default_must_be_a_value_of_the_type() -> None:
    with pytest.raises(ValueFault):
        get_column_type("number").check_definition(replace(COLUMN, type="number", default="many"))


def test_options_are_found_in_values_once_each() -> None:
    assert options_from(["Open", " open", "Done", "Open"]) == ("Open", "Done")


def test_more_than_a_hundred_values_are_not_converted_to_options() -> None:
    with pytest.raises(ValueFault):
        options_from(str(i) for i in range(101))


@pytest.mark.parametrize(
    ("type_name", "value", "message"),
    [
        ("number", "1,200", "“1,200” is text. Write the number 1200 without quotes, or convert text"),
        ("number", "many", "“many” is text. Write numbers without quotes, like 1200 or -3.5."),
        ("number", True, "true is not a number like 1200 or -3.5."),
        ("boolean", "yes", "“yes” is not true or false without quotes."),
        ("boolean", 1, "1 is not true or false."),
        ("text", 5, "5 is not text. Write text in quotes."),
        ("text", {"a": 1}, "An object is not text. Write text in quotes."),
        ("date", [None], "A list is not a date in the format YYYY-MM-DD."),
        ("date", "2023-02-29", "“2023-02-29” is not a valid date."),
        ("select", " Done ", "“ Done ” is not an option of “Status”. Did you mean “Done”?"),
        ("select", 10**400, "A number of more than 60 digits is not an option of “Status”."),
    ],
)
def test_a_refusal_quotes_the_json_value(type_name: str, value: Any, message: str) -> None:
    with pytest.raises(ValueFault) as caught:
        get_column_type(type_name).check(value, STATUS)
    assert caught.value.detail.startswith(message)


def test_a_type_that_is_not_registered_can_be_read_and_not_written() -> None:
    kind = get_column_type("gone since")
    assert (kind.registered, kind.text(5.0), kind.text(True), kind.text("x")) == (False, "5", "true", "x")
    for write in (kind.check, kind.cast):
        with pytest.raises(ValueFault) as caught:
            write("x", STATUS)
        assert "“gone since” is not installed" in caught.value.detail
