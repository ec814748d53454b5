"""Names: which are the same; references to columns; the text and the hash a row keeps of its cells."""
from __future__ import annotations

import pytest

from tables.column_types import (
    ColumnSpec,
    TableShape,
    ValueFault,
    cells_hash,
    check_name,
    did_you_mean,
    name_key,
    search_text,
)

TEXT = ColumnSpec(id="col_aaaaaaaa", name="Company", type="text")
NUMBER = ColumnSpec(id="col_bbbbbbbb", name="Größe", type="number")
FLAG = ColumnSpec(id="col_cccccccc", name="Paid", type="boolean")
DAY = ColumnSpec(id="col_dddddddd", name="col_aaaaaaaa", type="date")
SHAPE = TableShape(id=1, name="Jobs", columns=(TEXT, NUMBER, FLAG, DAY))


@pytest.mark.parametrize(
    ("one", "other"),
    [("Company", " company\n"), ("GRÖSSE", "größe"), ("Ｄｕｅ", "due"), ("e\u0301te", "ÉTE"), ("a", "a\u200b"),
     ("co\u00adop", "coop"), ("e\u200d\u0301", "é"), ("☎", "☎\ufe0f")],
)  # fmt: skip
def test_two_names_are_the_same_up_to_form_case_and_outer_space(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("name", "code"),
    [("", "empty_name"), (" \n ", "empty_name"), ("\u200b \u2060", "empty_name"), ("\u3164", "empty_name"),
     ("x" * 256, "too_long"), ("a\tb", "control_character"),
     ("a\x7f", "control_character"), ("a\x00", "nul_character"), ("\udfff", "lone_surrogate"), (None, "not_text")],
)  # fmt: skip
def test_a_name_that_cannot_be_is_refused(name: object, code: str) -> None:
    with pytest.raises(ValueFault) as caught:
        check_name(name)
    assert caught.value.code == code


def test_a_name_loses_its_outer_white_space() -> None:
    assert check_name("  Due date ") == "Due date"


def test_a_reference_is_an_id_before_it_is_a_name() -> None:
    assert SHAPE.column("col_aaaaaaaa") == TEXT


@pytest.mark.parametrize("ref", ["größe", "GRÖSSE ", "col_bbbbbbbb"])
def test_a_column_is_found_by_id_or_by_name(ref: str) -> None:
    assert SHAPE.column(ref) == NUMBER


def test_of_columns_that_differ_in_invisible_characters_alone_each_is_found_by_its_own_name() -> None:
    names = ("a", "a\u200b", "\u200b")
    shape = TableShape(id=1, name="T", columns=tuple(ColumnSpec(id=f"col_{n}", name=n, type="text") for n in names))
    assert [shape.column(name) for name in names] == list(shape.columns)


@pytest.mark.parametrize("ref", ["Salary", "", None, 5, ["Company"]])
def test_anything_else_is_no_column(ref: object) -> None:
    assert SHAPE.column(ref) is None


def test_an_id_is_drawn_so_no_name_is_taken_to_be_meant_by_it() -> None:
    assert str(did_you_mean("col_qdasu7rx", ["Company", "Salary"])) == " Available: “Company”, “Salary”."


def test_the_nearest_name_is_offered() -> None:
    assert SHAPE.nearest("Compny") == "Company"
    assert str(did_you_mean("Compny", ["Company", "Paid"])) == " Did you mean “Company”?"


def test_a_row_is_searched_by_its_folded_texts_numbers_and_days() -> None:
    data = {TEXT.id: "GROẞ & Co", NUMBER.id: 1200, FLAG.id: True, DAY.id: "2024-03-15"}
    assert search_text(SHAPE.columns, data) == "gross & co\n1200\n2024-03-15"


def test_equal_cells_have_equal_hashes_whatever_their_order() -> None:
    one, other = {TEXT.id: "Acme", NUMBER.id: 5}, {NUMBER.id: 5, TEXT.id: "Acme", FLAG.id: None}
    assert cells_hash(SHAPE.columns, one) == cells_hash(SHAPE.columns, other)


def test_unequal_cells_have_unequal_hashes() -> None:
    assert cells_hash(SHAPE.columns, {TEXT.id: "5"}) != cells_hash(SHAPE.columns, {TEXT.id: "6"})


def test_an_empty_row_equals_no_other() -> None:
    assert cells_hash(SHAPE.columns, {}) == ""


def test_a_column_reads_back_from_its_json() -> None:
    column = ColumnSpec(id="col_eeeeeeee", name="S", type="select", options=("A",), filter_display="tab", position=3)
    assert ColumnSpec.from_json(column.as_json()) == column


@pytest.mark.parametrize("called", ["A name", "An option"])
def test_a_refused_name_is_called_what_it_is(called: str) -> None:
    with pytest.raises(ValueFault) as caught:
        check_name(" ", is_option=called == "An option")
    assert caught.value.detail == f"{called} must not be empty."
