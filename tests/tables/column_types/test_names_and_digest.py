"""Equality of names, references to columns, and the search text and digest of a row."""
from __future__ import annotations

import json

import pytest

from shared.strictjson import CanonicalEncoder
from tables.column_types import (
    ColumnSpec,
    TableShape,
    ValueFault,
    check_name,
    did_you_mean,
    name_key,
    search_text,
)
from tables.column_types.row_digest import NO_CELLS, RowDigest

TEXT = ColumnSpec(id="col_aaaaaaaa", name="Company", type="text")
NUMBER = ColumnSpec(id="col_bbbbbbbb", name="Größe", type="number")
FLAG = ColumnSpec(id="col_cccccccc", name="Paid", type="boolean")
DAY = ColumnSpec(id="col_dddddddd", name="col_aaaaaaaa", type="date")
SHAPE = TableShape(id=1, name="Jobs", columns=(TEXT, NUMBER, FLAG, DAY))


@pytest.mark.parametrize(
    ("first", "second"),
    [("Company", " company\n"), ("GRÖSSE", "größe"), ("Ｄｕｅ", "due"), ("e\u0301te", "ÉTE"), ("a", "a\u200b"),
     ("co\u00adop", "coop"), ("e\u200d\u0301", "é"), ("☎", "☎\ufe0f")],
)  # fmt: skip
def test_names_are_compared_without_form_case_and_outer_space(first: str, second: str) -> None:
    assert name_key(first) == name_key(second)


@pytest.mark.parametrize(
    ("name", "code"),
    [("", "empty_name"), (" \n ", "empty_name"), ("\u200b \u2060", "empty_name"), ("\u3164", "empty_name"),
     ("x" * 256, "too_long"), ("a\tb", "control_character"),
     ("a\x7f", "control_character"), ("a\x00", "nul_character"), ("\udfff", "lone_surrogate"), (None, "not_text")],
)  # fmt: skip
def test_invalid_names_are_refused(name: object, code: str) -> None:
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


def test_names_that_differ_in_invisible_characters_are_distinguished() -> None:
    names = ("a", "a\u200b", "\u200b")
    shape = TableShape(id=1, name="T", columns=tuple(ColumnSpec(id=f"col_{n}", name=n, type="text") for n in names))
    assert [shape.column(name) for name in names] == list(shape.columns)


@pytest.mark.parametrize("ref", ["Salary", "", None, 5, ["Company"]])
def test_other_references_are_not_found(ref: object) -> None:
    assert SHAPE.column(ref) is None


def test_an_unknown_id_gets_the_list_of_names() -> None:
    assert str(did_you_mean("col_qdasu7rx", ["Company", "Salary"])) == " Available: “Company”, “Salary”."


def test_the_nearest_name_is_suggested() -> None:
    assert SHAPE.nearest("Compny") == "Company"
    assert str(did_you_mean("Compny", ["Company", "Paid"])) == " Did you mean “Company”?"


def test_a_row_is_searched_by_its_folded_texts_numbers_and_days() -> None:
    data = {TEXT.id: "GROẞ & Co", NUMBER.id: 1200, FLAG.id: True, DAY.id: "2024-03-15"}
    assert search_text(SHAPE.columns, data) == "gross & co\n1200\n2024-03-15"


def test_equal_cells_are_stored_as_the_same_text_whatever_their_order() -> None:
    digest = RowDigest(SHAPE.columns)
    first, second = {TEXT.id: "Née", NUMBER.id: 5}, {NUMBER.id: 5, TEXT.id: "Née", FLAG.id: None}
    assert digest.of(first) == digest.of(second)
    # As models store them.
    assert digest.of(first)[0] == json.dumps(first, cls=CanonicalEncoder)
    assert digest.of({FLAG.id: None})[0] == NO_CELLS


def test_a_column_reads_back_from_its_json() -> None:
    column = ColumnSpec(id="col_eeeeeeee", name="S", type="select", options=("A",), filter_display="tab", position=3)
    assert ColumnSpec.from_json(column.as_json()) == column


@pytest.mark.parametrize("label", ["A name", "An option"])
def test_a_refused_name_is_labelled(label: str) -> None:
    with pytest.raises(ValueFault) as caught:
        check_name(" ", is_option=label == "An option")
    assert caught.value.detail == f"{label} must not be empty."
