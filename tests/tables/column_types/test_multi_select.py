"""Lists of options as text, and columns of files that are lists."""
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.column_types import ColumnSpec, ValueFault, get_column_type
from tables.column_types.names import check_name, name_key
from tables.column_types.option_lists import list_text, split_list
from tables.importing.type_detection import guess_column
from tests.hypothesis_examples import examples


def is_name(text: str) -> bool:
    try:
        return check_name(text, is_option=True) == text
    except ValueFault:
        return False


names = st.one_of(
    st.text('",; a\u2028', min_size=1, max_size=6), st.text(min_size=1, max_size=8), st.just('"' * 255)
).filter(is_name)


@examples(200)
@given(options=st.lists(names, max_size=6, unique_by=name_key))
def test_a_list_is_read_from_its_text(options: list[str]) -> None:
    column = ColumnSpec("c", "Tags", "multi_select", options=tuple(options))
    kind = get_column_type("multi_select")
    assert split_list(list_text(options)) == options
    assert kind.cast(list_text(options), column).value == (options or None)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (["Red, Green", "Green; Blue", "Blue"], "multi_select"),
        (["Red, Green", "Red", "Green"], "select"),
        (["Berlin, Germany", "Paris, France", "Lyon, France"], "select"),
        (["Red, Red", "Green, Red", "Green"], "select"),
    ],
    ids=["lists", "few lists", "equal lengths", "doubles"],
)
def test_columns_of_lists_are_detected(values: list[str], found: str) -> None:
    assert guess_column(values * 10, name="Tags").type == found
