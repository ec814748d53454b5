"""Text, yes/no and select cells, strictly and cast; options and definitions."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tables.column_types import ColumnSpec, ValueFault, get_column_type
from tables.column_types.select import options_from

COLUMN = ColumnSpec(id="col_aaaaaaaa", name="Cell", type="text")
STATUS = ColumnSpec(id="col_bbbbbbbb", name="Status", type="select", options=("To do", "In  progress", "Done", "5"))


def cast(type_name: str, value: Any, column: ColumnSpec = COLUMN) -> Any:
    return get_column_type(type_name).cast(value, column).value


@pytest.mark.parametrize("text", ["  outer space stays ", "line\nbreak\ttab", "é\u200b\U0001f600", "x" * 65_536])
def test_text_is_kept_exactly(text: str) -> None:
    assert get_column_type("text").check(text, COLUMN) == text


@pytest.mark.parametrize(
    ("value", "code"),
    [("a\x00b", "nul_character"), ("\ud800", "lone_surrogate"), ("é" * 32_769, "too_long"), (5, "not_text"),
     (True, "not_text"), ({}, "not_text")],
)  # fmt: skip
def test_strictly_text_that_cannot_be_kept_is_refused(value: object, code: str) -> None:
    with pytest.raises(ValueFault) as caught:
        get_column_type("text").check(value, COLUMN)
    assert caught.value.code == code


@pytest.mark.parametrize(("value", "text"), [(5, "5"), (1.0, "1"), (0.5, "0.5"), (True, "true"), (False, "false")])
def test_numbers_and_truth_values_are_cast_to_their_text(value: object, text: str) -> None:
    assert cast("text", value) == text


@pytest.mark.parametrize(
    ("value", "meant"), [("yes", True), (" YES ", True), ("True", True), ("no", False), ("false", False), (True, True)]
)
def test_yes_and_no_are_cast(value: object, meant: bool) -> None:
    assert cast("boolean", value) is meant


@pytest.mark.parametrize("value", ["y", "1", "0", "on", "ja", "yes please", 1, 0, "x" * 70_000])
def test_other_words_are_no_truth_values(value: object) -> None:
    with pytest.raises(ValueFault):
        cast("boolean", value)


@pytest.mark.parametrize("value", ["true", 1, 0])
def test_strictly_only_true_and_false_are_truth_values(value: object) -> None:
    with pytest.raises(ValueFault):
        get_column_type("boolean").check(value, COLUMN)


@pytest.mark.parametrize(
    ("value", "option"),
    [("Done", "Done"), ("done", "Done"), (" DONE\n", "Done"), ("in progress", "In  progress"), ("Ｄｏｎｅ", "Done"),
     (5, "5")],
)  # fmt: skip
def test_an_option_is_found_up_to_case_and_white_space(value: object, option: str) -> None:
    assert cast("select", value, STATUS) == option


def test_an_option_that_is_there_exactly_wins_over_a_like_one() -> None:
    column = replace(STATUS, options=("a b", "A  B"))
    assert cast("select", "A  B", column) == "A  B"


def test_a_text_like_two_options_is_refused() -> None:
    with pytest.raises(ValueFault):
        cast("select", "a   b", replace(STATUS, options=("a b", "A  B")))


def test_an_unknown_option_names_the_nearest() -> None:
    with pytest.raises(ValueFault) as caught:
        cast("select", "Dome", STATUS)
    assert caught.value.code == "unknown_option"
    assert "“Done”" in caught.value.detail


def test_strictly_an_option_must_be_exact() -> None:
    with pytest.raises(ValueFault):
        get_column_type("select").check("done", STATUS)


@pytest.mark.parametrize(
    ("options", "code"),
    [((), "options_needed"), (("A", " a "), "doubled_option"), (("A", ""), "empty_name"), (("x" * 256,), "too_long"),
     (("a\nb",), "control_character"), (tuple(str(i) for i in range(1_001)), "too_many_options"), ((5,), "not_text")],
)  # fmt: skip
def test_options_that_cannot_be_are_refused(options: tuple[Any, ...], code: str) -> None:
    with pytest.raises(ValueFault) as caught:
        get_column_type("select").check_definition(replace(STATUS, options=options))
    assert caught.value.code == code


def test_a_definition_comes_back_with_its_default_cast_and_its_options_trimmed() -> None:
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


def test_more_than_a_hundred_different_values_become_no_options() -> None:
    with pytest.raises(ValueFault):
        options_from(str(i) for i in range(101))


def test_an_unknown_type_names_the_nearest() -> None:
    with pytest.raises(ValueFault) as caught:
        get_column_type("numbr")
    assert "“number”" in caught.value.detail
