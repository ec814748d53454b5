"""Values of person columns: their texts, their forms, and values that are refused."""
from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.column_types import ColumnSpec, ValueFault, get_column_type
from tables.column_types.names import name_key
from tables.column_types.people import People, Person
from tables.interchange.text_files import write_csv, write_json
from tests.hypothesis_examples import examples

PEOPLE = People(
    lambda: [
        Person(7, "Grace", address="grace@example.org"), Person(2, "ada"), Person(3, "17"),
        Person(5, "Linus", has_left=True), Person(6, "GRACE"), Person(8, "Ünal"),
    ]
)  # fmt: skip
COLUMN = ColumnSpec("c", "Lead", "person", people=PEOPLE)
KIND = get_column_type("person")
names = st.text(min_size=1, max_size=30).filter(lambda name: name.strip() == name and name_key(name))


@examples(100)
@given(people=st.lists(names, min_size=1, max_size=8, unique_by=name_key), data=st.data())
def test_a_person_is_read_from_the_name(people: list[str], data: st.DataObject) -> None:
    column = ColumnSpec(
        "c", "Lead", "person", people=People(lambda: [Person(pk, name) for pk, name in enumerate(people, start=1)])
    )
    value = data.draw(st.integers(1, len(people)))
    text = KIND.text_in(value, column)
    assert text == people[value - 1]
    assert KIND.cast(text, column).value == KIND.check(value, column) == value
    assert KIND.cast(KIND.written_json(value, column), column).value == value
    target = ColumnSpec("t", "Text", "text")
    assert KIND.convert(get_column_type("text").convert(value, source=column, target=target),
                        source=target, target=column) == value  # fmt: skip


@pytest.mark.parametrize(
    ("given_value", "strict", "cast"),
    [
        (2, 2, 2),
        (2.0, "not_a_person", 2),
        ("ada", "not_a_person", 2),
        (" ADA ", "not_a_person", 2),
        ("Grace", "not_a_person", 7),
        ("grace", "not_a_person", "not_a_person"),  # two people have this name
        ("GRACE@example.org", "not_a_person", 7),
        ("17", "not_a_person", 3),  # a name, not an id
        ("2", "not_a_person", "not_a_person"),
        ("ünal", "not_a_person", 8),
        (5, "left_the_table", "left_the_table"),
        ("Linus", "not_a_person", "left_the_table"),
        *((value, "not_a_person", "not_a_person") for value in (0, -2, 1, 99, 2**53, 2**63, 10**400, True, 2.5, 1e300)),
        *((value, "not_a_person", "not_a_person") for value in ([2], {"id": True}, {"name": "ada"}, "x" * 70_000)),
        ({"id": 2, "name": "ada"}, "not_a_person", 2),
        ({"id": 2, "name": "a former name"}, "not_a_person", 2),
        *(({"id": pk, "name": "ada"}, "not_a_person", 2) for pk in (7, 99, None, "x", True)),  # of another installation
        ({"id": 99, "name": "Deleted account"}, "not_a_person", "not_a_person"),
        (None, None, None),
        ("", None, None),
    ],
)
def test_values(given_value: Any, strict: Any, cast: Any) -> None:
    assert _outcome(lambda: KIND.check(given_value, COLUMN)) == strict
    assert _outcome(lambda: KIND.cast(given_value, COLUMN).value) == cast


def test_refusals_name_members_only() -> None:
    with pytest.raises(ValueFault) as name_sent:
        KIND.check("ada", COLUMN)
    assert name_sent.value.detail == "This must be the id of “ada”, which is 2."
    with pytest.raises(ValueFault) as refused:
        KIND.cast("grase@example.org", COLUMN)
    assert "grace@example.org" not in refused.value.detail
    assert _outcome(lambda: KIND.check_restored(99, COLUMN)) == 99
    assert KIND.text_in(99, COLUMN) == "Deleted account"
    shown = [person["name"] for person in COLUMN.presented()["people"]]
    assert shown == ["17", "ada", "GRACE", "Grace", "Linus", "Ünal"]
    assert "example.org" not in str(COLUMN.presented()) + repr(PEOPLE.all)


def test_files_have_names() -> None:
    rows: Any = [(1, [7]), (2, [99]), (3, [None])]
    csv, document = io.BytesIO(), io.BytesIO()
    write_csv(csv, title="t", columns=[COLUMN], rows=rows)
    write_json(document, title="t", columns=[COLUMN], rows=rows)
    assert csv.getvalue().decode("utf-8-sig").split("\r\n") == ["Lead", "Grace", "Deleted account", '""', ""]
    assert [each["Lead"] for each in json.loads(document.getvalue())] == [
        {"id": 7, "name": "Grace"}, {"id": 99, "name": "Deleted account"}, None,
    ]  # fmt: skip


def _outcome(read: Any) -> Any:
    try:
        return read()
    except ValueFault as fault:
        return fault.code
